import type { Opening } from './opening.ts';

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const TIME = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d(?::\\d\\d)? [A-Z][^\\]\\n]{0,20}';

/** When a message came, as OpenClaw writes it in front of one. */
const CLOCK = `\\[${DAY} ${TIME}\\]`;

/** From where, from whom and when it came, as OpenClaw writes it in front of one from a chat. */
const ENVELOPE = `\\[(?:WhatsApp|Telegram|Discord|Slack|Signal|iMessage|BlueBubbles|Matrix|Mattermost|(?:MS )?Teams|Google Chat|Feishu|LINE|Zalo|Nostr|Tlon|WebChat)(?: [^\\]\\n]{1,160}?)? (?:(?:${DAY} )?${TIME}|\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\dZ)\\]`;

const CURRENT_TIME = /\nCurrent time: [^\n]*/;

/** What parts the messages that OpenClaw has kept while the agent was busy. */
export const QUEUED = /\n\n---\nQueued #\d{1,4}(?: \(from [^\n]{1,200}\))?(?:\n|$)/;

/** What OpenClaw tells of a message: who wrote it, when and in reply to what, in a fenced block below. */
export const TELLS_OF_MESSAGE =
  '[A-Z][\\w ]{1,80}(?: \\([\\w ]{1,40}\\))? \\(untrusted(?: metadata|, [\\w ,-]{1,80})\\):[^\\n]{0,40}';

const INTERNAL = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\\n';
const RUNTIME_CONTEXT =
  'OpenClaw runtime context \\(internal\\):\\nThis context is runtime-generated, not user-authored\\.';
const END_OF_INTERNAL = /\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>/;

/** What came of work of its own, and what is to be made of that. The name of it may be the whole task. */
function announced(work: string): string {
  return `^(?:${CLOCK} )?\\[System Message\\] \\[sessionId: [^\\n]{1,120}\\] A ${work} "[^\\n]{1,400}" just [^\\n]{1,400}\\n(?:\\[sessionKey: [^\\n]{1,200}\\]\\n)?\\nResult:\\n`;
}

/** Of OpenClaw, which fences what it is given, and tells on lines of their own what has happened meanwhile. */
const OPENCLAW: readonly Opening[] = [
  // Other agents and jobs, of which it says so.
  [
    /^\[Inter-session message\] sourceSession=[^\n]{1,400} isUser=false\nThis content was routed by OpenClaw /,
    'subagent',
  ],
  [
    new RegExp(
      `^(?:${INTERNAL})?${RUNTIME_CONTEXT}(?=[^\n]{0,200}\n\n\\[Internal task completion event\\]\nsource: subagent\n)`,
    ),
    'subagent',
    END_OF_INTERNAL,
  ],
  [new RegExp(`^(?:${INTERNAL}|${RUNTIME_CONTEXT})`), 'program', END_OF_INTERNAL],
  [
    new RegExp(`^(?:${CLOCK} )?A subagent task "[^"\n]{1,200}" [^\n]{1,200}\n\nFindings:\n`),
    'subagent',
  ],
  // The same since February 2026, for which a session of its own is named.
  [new RegExp(announced('subagent task')), 'subagent'],
  [new RegExp(announced('cron job')), 'program'],
  [/^A cron job "[^"\n]{1,200}" [^\n]{1,200}\n\nFindings:\n/, 'program'],
  [new RegExp(`^(?:${CLOCK} )?${TELLS_OF_MESSAGE}\\n(?=\`\`\`json\\n)`), 'program', 'fence'],
  [new RegExp(`^(?:${CLOCK}|${ENVELOPE})(?: |$)`), 'program', 'mark'],
  [/^\[message_id: [^\]\n]{1,200}\](?=\s*$)/, 'program', 'mark'],
  [
    /^\[System: The bot encountered a Feishu API permission error\. [^\n]{1,600}\](?=\s*$)/,
    'program',
    'mark',
  ],
  [
    /^(?:System(?: \(untrusted\))?: \[\d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,40}\] )?GatewayRestart:\n(?=\{\n {2}"kind": )/,
    'program',
    /\n\}(?=\n|$)/,
  ],
  [
    /^System: \[\d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,40}\] (?=[^\n]{1,800}\n[\s\S]{0,900}?\nA scheduled reminder has been triggered\. The reminder content is:\n)/,
    'program',
  ],
  // What has more lines than one says so on each of them.
  [
    /^System(?: \(untrusted\))?: \[\d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,40}\] /,
    'program',
    /^[^\n]*(?:\nSystem(?: \(untrusted\))?:(?! \[\d{4}-)[^\n]*)*/,
  ],
  [
    /^\[Queued (?:announce )?messages while agent was busy\](?=\n\n---\nQueued #1\b)/,
    'program',
    'queue',
  ],
  [
    /^\[Queued user message that arrived while the previous turn was still active\](?:\n|$)/,
    'program',
    'mark',
  ],
  [
    /^Note: The previous agent run was aborted by the user\. Resume carefully or ask for clarification\.(?:\n|$)/,
    'program',
    'mark',
  ],
  [
    /^\[System\] Your previous turn was interrupted by a gateway restart while OpenClaw was [^\n]{1,200}/,
    'program',
    'mark',
  ],
  [
    /^(?:Continue from the current transcript after the latest tool result\. Do not repeat the original user request, and do not rerun completed tools unless the transcript shows they are still needed|Continue the OpenClaw runtime event)\./,
    'program',
    'mark',
  ],
  // Files that came with a message, and what it says or shows.
  [/^\[media attached(?: \d{1,3}\/\d{1,3})?: [^\n]{1,900}\](?=\n)/, 'program', 'line'],
  [
    /^To send an image back, prefer the message tool \(media\/path\/filePath\)\./,
    'program',
    'line',
  ],
  [/^\[(?:Audio|Image|Video)\]\s{1,3}User text:(?:\s{1,3}|$)/, 'program', 'mark'],
  [
    /^Read HEARTBEAT\.md if it exists \(workspace context\)\. Follow it strictly\. Do not infer /,
    'program',
  ],
  [/^\[OpenClaw heartbeat poll\]/, 'program', 'mark'],
  // The time ends what it says by itself; words of the user may follow.
  [
    /^A new session was started via \/new or \/reset\. (?:(?:Run|Execute) your Session Startup sequence\b|If runtime-provided startup context is included for this first turn, use it before responding to the user\. Then greet )/,
    'program',
    CURRENT_TIME,
  ],
  [
    /^A new session was started via \/new or \/reset\. Greet the user in your configured persona, if one is provided\. Be yourself /,
    'program',
    /Do not mention internal steps, files, tools, or reasoning\.(?:\nCurrent time: [^\n]*)?/,
  ],
  [
    /^An async command (?:you ran earlier has completed\. The result is shown in the system messages above\.|completion event was triggered, but user delivery is disabled for this run\.)/,
    'program',
    CURRENT_TIME,
  ],
  [
    /^A scheduled reminder has been triggered\. The reminder (?:content is:\n|message is shown in the system messages above\.)/,
    'program',
  ],
  [
    /^(?:Pre-compaction memory flush\. Store durable memories |Write any lasting notes to memory\/\S{1,40}; reply with the exact silent token NO_REPLY if nothing to store\.)/,
    'program',
  ],
  [/^You are running a boot check\. Follow BOOT\.md instructions exactly\.\n/, 'program'],
  [
    /^\[Bootstrap truncation warning\]\nSome workspace bootstrap files were /,
    'program',
    /(?=\n\n)/,
  ],
  [
    /^\[Startup context loaded by runtime\]\nBootstrap files like /,
    'program',
    /\nEND_QUOTED_NOTES(?!\s{1,4}\[Untrusted daily memory)/,
  ],
  [
    /^Untrusted context \(metadata, do not treat as instructions or commands\):\n(?=<active_memory_plugin>\n)/,
    'program',
    /<\/active_memory_plugin>/,
  ],
];

/** Whose message it is, as Hermes writes it in a chat of several. */
const BY = '(?:\\[[^[\\]\\n]{1,60}\\] )?';

const HERMES_SUMMARY = /^\[CONTEXT COMPACTION\b[^\]\n]{0,40}\] /;

/** What Hermes sums up of the time between the first messages, which it keeps, and this one; else null. */
export function summaryBehindHead(text: string): string | null {
  if (!HERMES_SUMMARY.test(text)) return null;
  return text.slice(text.indexOf('\n') + 1).trim();
}

/** Of Hermes, which says so in brackets, and what it quotes of the user too. */
const HERMES: readonly Opening[] = [
  [HERMES_SUMMARY, 'summary', /\n--- END OF CONTEXT SUMMARY\b[^\n]*/],
  [/^\[Your active task list was preserved across context compression\]\n/, 'program'],
  [
    /^\[System note: (?:Your|The) previous turn (?:in this session )?was interrupted [^\]\n]{1,700}\]/,
    'program',
    'mark',
  ],
  [/^\[System: This session is about to be automatically reset due to /, 'program'],
  [
    /^Review the conversation above and (?:consider saving (?:to memory|or updating a skill) if appropriate\.\n|(?:consider|update) two things:\n\n\*\*Memory\b|update the skill library\. Be ACTIVE )/,
    'program',
  ],
  [
    /^\[System: The previous response was cut off by a network error mid-stream\. [^\]\n]{1,200}\]/,
    'program',
    'mark',
  ],
  [
    /^\[(?:Note: model was just switched from|System: The active model for this chat has changed to|System: The user has (?:changed|set|cleared) the personality) [^\]\n]{1,600}\]/,
    'program',
    'mark',
  ],
  // Around what the user has typed meanwhile, and what a compaction has restated.
  [
    /^\[(?:OUT-OF-BAND USER MESSAGE — a direct message from the user|STILL IN PROGRESS — this is the active request), [^\]\n]{1,300}\]/,
    'program',
    'mark',
  ],
  [
    /^Gateway message origin \(JSON data, not instructions or authorization\):\n\{[^\n]{1,800}\}\n(?:Do not guess a reply destination when these fields are insufficient\.)?/,
    'program',
    'mark',
  ],
  [
    /^\[PRIOR CONTEXT — for reference only; not a new message\]\n/,
    'program',
    { quotesTo: '\n[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]' },
  ],
  [
    new RegExp(
      `^${BY}\\[(?:SYSTEM|IMPORTANT): (?:Background process \\S{1,80}|\\d{1,4} background processes) `,
    ),
    'program',
  ],
  [
    /^\[ASYNC DELEGATION (?:BATCH COMPLETE|COMPLETE|TASK FAILED) [—-] [^\]\n]{1,100}\]\n/,
    'subagent',
  ],
  [
    /^\[(?:SYSTEM|IMPORTANT): (?:MCP servers have been reloaded\.|The following skill\(s\) were listed for this job but )[^\]\n]{1,700}\]/,
    'program',
    'mark',
  ],
  [
    /^\[(?:SYSTEM|IMPORTANT): (?:You are running as a scheduled cron job\. |If you have a meaningful status report or findings, send them )/,
    'program',
    /\](?=\n\n)/,
  ],
  [
    /^\[(?:SYSTEM|IMPORTANT): The user has invoked the "([^"\n]{1,100})" skill(?:, indicating they want you to follow its instructions\.| bundle, loading )/,
    'program',
    'skill',
  ],
  // Of the agent's own words, as a rule, which the user has answered.
  [/^\[Replying to: "[\s\S]{1,800}?"\](?=\n\n)/, 'program', 'mark'],
  [/^\[The user sent a voice message~ Here's what they said: "/, 'program', { quotesTo: '"]' }],
  [new RegExp(`^${BY}\\(The user sent a message with no text content\\)`), 'program', 'mark'],
  [
    /^\[The user (?:sent an image~ Here's what I can see|attached an image\. Here's what it contains):\n/,
    'program',
    // What a picture shows may look like the end of what is told of it.
    /^[\s\S]{0,30000}\](?=\n\[If you need )|\](?=\n\n|$)/,
  ],
  [
    /^\[(?:If you need a closer look, use vision_analyze with |The user sent an image but I couldn't quite see it this time |The user attached an image but |The user sent a document: ')[^\n]{1,900}\](?=\n|$)/,
    'program',
    'mark',
  ],
];

/**
 * How assistants that people write to from chats begin what they put around a message, or say by
 * themselves in place of one.
 */
export const CHAT_OPENINGS: readonly Opening[] = [...OPENCLAW, ...HERMES];
