"""A client of Palimpsest in one file: copy it. Python 3.9 and later, standard library only, MIT licence.

    from palimpsest import Palimpsest

    palimpsest = Palimpsest("http://127.0.0.1:8787")
    synced = palimpsest.sync("chat-7", [{"role": "user", "content": "Why does the build fail?"}])
    messages = [entry["item"] for entry in synced["context"]["items"]]  # what to send to the model
"""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Iterator, Mapping, Sequence

Json = dict[str, Any]

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 8.0
LONGEST_RETRY_AFTER_S = 60.0
TRANSIENT = {429, 502, 503, 504}
# Of these nothing was done; after a bad gateway that is not known.
UNTOUCHED = {429, 503}


class PalimpsestError(Exception):
    """What every error of the client is."""


class NoAnswerError(PalimpsestError):
    """There was no answer, or not in time, or half of one."""


class ProblemError(PalimpsestError):
    """The service refused. `code` is such as "session_not_found"; the text says what to change."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None) -> None:
        super().__init__(problem.get("detail") or f"HTTP {status}")
        self.status = status
        self.code = str(problem.get("type", "unreadable")).rsplit(":", 1)[-1].replace("-", "_")
        self.errors: list[Json] = list(problem.get("errors") or [])
        self.retry_after = retry_after


class Palimpsest:
    """Calls the service at `url`. Keeps no state, so threads may share one."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8787",
        key: str | None = None,
        *,
        timeout: float = 70.0,
        retries: int = 3,
    ) -> None:
        self.url = url.rstrip("/")
        self.key = key
        self.timeout = timeout
        self.retries = retries

    def sync(self, session: str, items: Sequence[Json], **more: Any) -> Json:
        """The whole history in, the context out. `more`: format, wait, on_divergence."""
        path = f"/sessions/{_path(session)}/sync"
        body = {"items": list(items), **more}
        return _object(self.call("POST", path, body=body, is_keyed=True))

    def append(self, session: str, items: Sequence[Json], *, wait: int | None = None) -> Json:
        """Appends, all or nothing; `wait`: seconds to wait for a compaction that it requests."""
        path = f"/sessions/{_path(session)}/items"
        body = {"items": list(items)}
        return _object(self.call("POST", path, body=body, headers=_prefer(wait), is_keyed=True))

    def context(self, session: str, **query: Any) -> Json:
        """What to send to the model now. `query`: format, at, wait="compaction", origins, proposal."""
        return _object(self.call("GET", f"/sessions/{_path(session)}/context", query=query))

    def compact(self, session: str, *, wait: int | None = None, **body: Any) -> Json:
        """Requests a compaction. `body`: mode, instructions, focus, dry_run, propose, trigger."""
        path = f"/sessions/{_path(session)}/compact"
        return _object(self.call("POST", path, body=body, headers=_prefer(wait), is_keyed=True))

    def create_session(self, **settings: Any) -> Json:
        """`settings`: id, model, context_window, format, profile, config, metadata."""
        return _object(self.call("POST", "/sessions", body=settings))

    def session(self, session: str) -> Json:
        """Settings and state of a session."""
        return _object(self.call("GET", f"/sessions/{_path(session)}"))

    def erase_session(self, session: str) -> None:
        """Erases a session with everything in it."""
        self.call("DELETE", f"/sessions/{_path(session)}")

    def search(self, q: str, session: str | None = None, **query: Any) -> Json:
        """One page of hits, in one session or in all of them."""
        path = "/search" if session is None else f"/sessions/{_path(session)}/search"
        return _object(self.call("GET", path, query={"q": q, **query}))

    def items(self, session: str, **query: Any) -> Iterator[Json]:
        """The whole log, page after page."""
        return self.each(f"/sessions/{_path(session)}/items", **query)

    def sessions(self) -> Iterator[Json]:
        """All sessions of this key, newest first."""
        return self.each("/sessions")

    def each(self, path: str, **query: Any) -> Iterator[Json]:
        """The entries of any paged operation."""
        while True:
            page = _object(self.call("GET", path, query=query))
            yield from page["data"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    def follow(self, session: str, after: int = 0, types: str | None = None) -> Iterator[Json]:
        """Events, those there are and those to come; a broken connection goes on where it was."""
        failures = 0
        while True:
            headers = {"accept": "text/event-stream", "last-event-id": str(after)}
            request = self._request(
                "GET", f"/sessions/{_path(session)}/events", {"types": types}, None, headers
            )
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as response:
                    for line in response:
                        if line.startswith(b"data: "):
                            event = json.loads(line[6:])
                            failures = 0
                            yield event
                            after = event["version"]
            except urllib.error.HTTPError as error:
                problem = _problem_of(error)
                if problem.status not in TRANSIENT or failures >= self.retries:
                    raise problem from error
            except (OSError, http.client.HTTPException, ValueError) as error:
                if failures >= self.retries:
                    raise NoAnswerError(f"the events of {session} cannot be followed") from error
            time.sleep(_backoff(failures))
            failures += 1

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        is_keyed: bool = False,
    ) -> Any:
        """Any operation. `is_keyed`: it takes an idempotency key, and so is safe to send again."""
        key = {"idempotency-key": str(uuid.uuid4())} if is_keyed else {}
        request = self._request(method, path, query or {}, body, {**key, **(headers or {})})
        is_repeatable = is_keyed or method in ("GET", "PATCH")
        tries = 0
        while True:
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as response:
                    text = response.read()
                    return json.loads(text) if text else None
            except urllib.error.HTTPError as error:
                problem = _problem_of(error)
                wait = _wait_before(tries, problem, is_repeatable)
                if tries >= self.retries or wait is None:
                    raise problem from error
            except (OSError, http.client.HTTPException, ValueError) as error:
                if tries >= self.retries or not is_repeatable:
                    raise NoAnswerError(f"no whole answer from {self.url}{path}: {error}") from error
                wait = _backoff(tries)
            time.sleep(wait)
            tries += 1

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        body: Any,
        headers: Mapping[str, str],
    ) -> urllib.request.Request:
        given = {name: _query(value) for name, value in query.items() if value is not None}
        search = f"?{urllib.parse.urlencode(given)}" if given else ""
        sent = dict(headers)
        if self.key is not None:
            sent["authorization"] = f"Bearer {self.key}"
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            sent["content-type"] = "application/json"
        return urllib.request.Request(
            f"{self.url}{path}{search}", data=data, headers=sent, method=method
        )


def _path(part: str) -> str:
    if not part:
        raise PalimpsestError("the id of the session is empty")
    return urllib.parse.quote(part, safe="")


def _query(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _object(answer: Any) -> Json:
    """What every operation here answers; something else is not the service."""
    if not isinstance(answer, dict):
        raise NoAnswerError("the answer is no JSON object: is the url that of a Palimpsest?")
    return answer


def _prefer(wait: int | None) -> dict[str, str]:
    return {} if wait is None else {"prefer": f"wait={wait}"}


def _problem_of(error: urllib.error.HTTPError) -> ProblemError:
    with error:
        try:
            problem = json.loads(error.read())
        except (OSError, http.client.HTTPException, ValueError):
            problem = {}
    asked = error.headers.get("retry-after") or ""
    return ProblemError(
        error.code,
        problem if isinstance(problem, dict) else {},
        float(asked) if asked.isdigit() else None,
    )


def _wait_before(tries: int, problem: ProblemError, is_repeatable: bool) -> float | None:
    """Seconds until the next try; None: there is to be none."""
    if problem.status not in (TRANSIENT if is_repeatable else UNTOUCHED):
        return None
    if problem.retry_after is None:
        return _backoff(tries)
    return problem.retry_after if problem.retry_after <= LONGEST_RETRY_AFTER_S else None


def _backoff(tries: int) -> float:
    return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0**tries) * random.uniform(0.5, 1)
