"""Drives the service at argv[1], the same behind a proxy that fails at argv[2], and another program at argv[3]."""

import sys

from palimpsest import NoAnswerError, Palimpsest, PalimpsestError, ProblemError

direct, shaky = Palimpsest(sys.argv[1]), Palimpsest(sys.argv[2], retries=2)


def user(content):
    return {"role": "user", "content": content}


def raised(kind, act):
    try:
        act()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


direct.create_session(id="py", context_window=100_000)
# The proxy cuts the answer of this one off: it is there once.
assert shaky.append("py", [user("only once")])["last_seq"] == 2
assert [entry["item"]["content"] for entry in direct.items("py")] == ["only once"]
synced = direct.sync("py", [user("only once"), user("ünïcode 語")], wait="compaction")
assert (synced["matched"], synced["appended"]) == (1, 1)
assert len(list(direct.items("py", limit=1))) == 2
assert direct.context("py", origins=True)["version"] == synced["version"]
assert direct.compact("py", dry_run=True)["dry_run"] is True
assert direct.compact("py", mode="full", wait=30)["status"] == "ended"
assert direct.search("once", "py")["data"][0]["seq"] == 2
assert "py" in [session["id"] for session in direct.sessions()]

# Busy twice, then it answers.
assert shaky.session("py")["id"] == "py"
# Cut off, and not safe to repeat.
assert f"{shaky.url}/sessions" in str(raised(NoAnswerError, lambda: shaky.create_session(id="perhaps")))

missing = raised(ProblemError, lambda: direct.context("nobody"))
assert (missing.status, missing.code) == (404, "session_not_found"), missing.code
assert "POST /sessions" in str(missing)
wrong = raised(ProblemError, lambda: direct.append("py", [{"role": "nobody", "content": "x"}]))
assert wrong.errors[0]["path"] == "items.0.role", wrong.errors
raised(PalimpsestError, lambda: direct.session(""))
elsewhere = Palimpsest(sys.argv[3])
assert "is the url that of a Palimpsest?" in str(raised(NoAnswerError, lambda: elsewhere.session("py")))

events = []
# The connection breaks off after some bytes, and goes on where it was.
for event in shaky.follow("py"):
    events.append(event["version"])
    if event["type"] == "compaction.requested":
        break
assert events == list(range(1, len(events) + 1)), events
assert raised(ProblemError, lambda: next(direct.follow("nobody"))).status == 404
direct.erase_session("py")
assert raised(ProblemError, lambda: direct.session("py")).status == 404
print("ok")
