import type { FieldError } from '../../domain/session/errors.ts';
import type { ProblemCode } from './problem.ts';

/** What operations of the document may answer; the other codes belong to pages and unknown paths. */
export type DocumentedCode = Exclude<ProblemCode, 'form_outdated' | 'method_not_allowed'>;

type Example = { detail: string; errors?: FieldError[] };

const RUNNING = '01936f5e-7d0a-7c2e-9d5b-0b5f3c1d2e4f';

/** An answer of each kind, in the words of the service; test/api/reference-errors.test.ts provokes them. */
export const PROBLEM_EXAMPLES: { readonly [C in DocumentedCode]: Example } = {
  session_not_found: {
    detail:
      'there is no session with this id: GET /sessions lists those there are, POST /sessions creates one',
  },
  session_exists: {
    detail: 'a session with this id already exists: go on with it, or choose another id',
  },
  version_mismatch: {
    detail: 'the session is at version 14, not 12: read it again before you append',
  },
  idempotency_mismatch: {
    detail:
      'this Idempotency-Key was used with another request body: send a new key with a new body',
  },
  history_diverged: {
    detail:
      'the history is another one than that of session "support-4711" after version 1: ' +
      'item 0 is not what the session has there. Nothing was appended: send "on_divergence": "fork" to go on in a fork',
    errors: [{ path: 'items.0', message: 'this is not what the session has there' }],
  },
  invalid_item: {
    detail: 'nothing was appended: an item does not fit the session\'s format "anthropic"',
    errors: [
      {
        path: '0.role',
        message:
          'this looks like format "openai-chat" (its role is "tool"), and the session has format "anthropic": ' +
          'create the session first, with POST /sessions and {"format": "openai-chat"}',
      },
    ],
  },
  invalid_config: {
    detail:
      'micro_compact_eligible_tools: "!" is neither the name of a tool nor a pattern: write a name such as "Bash", ' +
      'use "*" for any text as in "mcp__*", and put "!" in front to leave tools out',
  },
  compaction_disabled: {
    detail:
      'compaction is switched off for this session: set config.enabled to true, and start the ' +
      'server without DISABLE_COMPACT',
  },
  compaction_not_found: {
    detail: 'the session has no compaction with this id: GET …/compactions lists those it has',
  },
  compaction_not_cancellable: {
    detail:
      'only a compaction that is queued or running can be cancelled; this one has ended: ' +
      'revert it to undo what it did',
  },
  compaction_not_revertible: { detail: 'this compaction has already been reverted' },
  compaction_not_proposable: {
    detail: `compaction ${RUNNING} is under way and will be applied: wait for its end or cancel it, then propose`,
  },
  compaction_not_applicable: {
    detail: `compaction ${RUNNING} is under way: wait for its end or cancel it, then apply the proposal`,
  },
  proposal_not_open: {
    detail: 'this compaction is no proposal: POST …/compact with {"propose": true} makes one',
  },
  compaction_under_way: {
    detail: `the proposal ${RUNNING} is being written: wait for its end or cancel it, then ask again`,
  },
  not_pinnable: {
    detail:
      'all pins together would take 5320 tokens, and half of the threshold is 1500: pin less, remove other pins, ' +
      'or make the window larger',
  },
  pin_not_found: {
    detail: 'the session has no pin with this id: GET …/pins lists those it has',
  },
  packet_not_requested: {
    detail:
      'no packet was requested: the service asks for one with the event packet.requested, and waits until its deadline',
  },
  version_not_found: {
    detail: 'the session is at version 14: there is no version 99 yet',
  },
  invalid_request: {
    detail: 'the query cannot be used: "limt": unknown query parameter: did you mean "limit"?',
    errors: [{ path: 'limt', message: 'unknown query parameter: did you mean "limit"?' }],
  },
  unauthorized: {
    detail: 'send your key as "Authorization: Bearer KEY" or as "x-api-key: KEY"',
  },
  host_not_local: {
    detail:
      'without API keys the service answers only at localhost, 127.0.0.1 and [::1]: use one of ' +
      'these in the address, or set PALIMPSEST_API_KEYS and send a key',
  },
  cross_site_request: {
    detail:
      'without API keys the service refuses requests from web pages of other sites: set ' +
      'PALIMPSEST_API_KEYS and send a key',
  },
  not_found: { detail: 'there is no item 99: GET …/items lists the items' },
  compaction_not_ended: {
    detail: 'the compaction is queued: ask again when its status is "ended"',
  },
  body_too_large: {
    detail: 'a body may have at most 16777216 bytes: send the items in several requests',
  },
  answer_too_large: {
    detail:
      'what this would answer is too large for one response: compact the session first, or read it ' +
      'in pages from /items',
  },
  unsupported_media_type: {
    detail:
      'set the header "Content-Type: application/json" (application/x-ndjson where items are posted)',
  },
  rate_limited: {
    detail: 'this key may send 60 requests a minute: wait 1 s, then send the request again',
  },
  store_full: {
    detail:
      'The disk of the event store is full; nothing was written. Free some space: the service goes on by itself then.',
  },
  store_read_only: {
    detail:
      'The event store can only be read; nothing was written. Make its file, folder and file system (or its server) writable: the service goes on by itself then.',
  },
  store_damaged: {
    detail:
      'A part of the event store is damaged and cannot be read. `palimpsest verify` names the sessions: restore them from a backup.',
  },
  internal_error: {
    detail:
      'the service failed, and found nothing wrong with the request: see the log of the service',
  },
  archive_unavailable: {
    detail:
      'The events of this session are in a file that the archive does not have: put it back from a copy of the archive. "palimpsest verify" names the file.',
  },
  unavailable: {
    detail:
      'The event store is busy: another writer held it for too long; nothing was written, try again.',
  },
};
