import type { Speaker } from './item.ts';

/**
 * What agents' programs put around their blocks. `block`: up to the closing tag, at either end of a
 * text; `output`: the same up to the last closing tag, as what a tool returned may hold one itself;
 * `whole`: all that follows belongs to it, since sentences of the program come after its end;
 * `observation`: so does what follows, up to the last tag that closes an output; `wrapper`: the user's
 * own words stand inside.
 */
type TagMark = {
  speaker: Speaker;
  extent: 'block' | 'output' | 'whole' | 'observation' | 'wrapper';
};

/** The marks of tags, whose names have a comma between them. */
const named = (speaker: Speaker, extent: TagMark['extent']) => (names: string) =>
  names.split(',').map((name): [string, TagMark] => [name.trim(), { speaker, extent }]);
const program = named('program', 'block');
const hook = named('hook', 'block');
const instructions = named('project_instructions', 'block');
const output = named('tool', 'output');
const subagent = named('subagent', 'whole');
const wrapper = named('user', 'wrapper');

/**
 * Tags that programs are known to write into user messages, in lower case. Any other tag is the
 * user's: many write prompts in tags of their own.
 *
 * The heads of sessions say when the user spoke last, and are stored: a change to this table, to
 * the ones below or to those of the openings needs a higher `HEAD_VERSION`, so that they are computed
 * anew.
 */
export const TAG_MARKS: ReadonlyMap<string, TagMark> = new Map([
  // Claude Code, and the SDK for agents that it comes with.
  ...subagent(`
    task-notification, agent-notification, teammate-message, agent-message, cross-session-message,
    channel, channel-message, remote-review, coordinator-relay, slack-ping, slack-tag-message`),
  ...output(`
    bash-notification, bash-stdout, bash-stderr, bash-exit-code, tool_use_error, persisted-output,
    sandbox_violations, fetched-web-content, untrusted-widget-state, artifact-file-content,
    monitor-event, monitor-events, mcp-resource, mcp-resource-update, mcp-polling-update`),
  ...hook(`
    user-prompt-submit-hook, session-start-hook, pre-tool-use-hook, post-tool-use-hook, stop-hook`),
  ...program(`
    system-reminder, system-notification, system-message, system-warning, local-command-caveat,
    local-command-stdout, local-command-stderr, bash-input, command-message, command-args,
    command-contents, command-name, ide_opened_file, ide_selection, ide_diagnostics,
    new-diagnostics, browser_instruction, fork-boilerplate, tick, available-deferred-tools,
    total_tokens, tools-used-before-summary`),
  ...wrapper('user-memory-input, pasted_content'),
  // Codex CLI and its extensions.
  ...instructions('user_instructions, agents_instructions'),
  ...subagent(`
    subagent_notification, agent_message_board_notification, realtime_delegation, codex_delegation`),
  ...hook('hook_prompt'),
  ...output('user_shell_command'),
  ...program(`
    environment_context, turn_aborted, permissions instructions, collaboration_mode,
    skills_instructions, apps_instructions, plugins_instructions, recommended_plugins,
    multiagent_context, multi_agent_role, multi_agent_mode, goal_context, codex_internal_context,
    in-app-browser-context, model_switch, personality_spec, realtime_conversation, user_action,
    image, skill`),
  // Copilot, on the command line and in the editor.
  ...program(`
    current_datetime, reminder, system_reminder, system_notification, system_warning, skill-context,
    environment_info, workspace_info, editorcontext, reminderinstructions, reminder-instructions,
    context, toolreferences, attachments, tagged_files, userpreferences, repomemory`),
  ...wrapper('userrequest, user_query'),
  // Kimi Code.
  ...subagent('notification'),
  ...hook('hook_result'),
  ...program('cron-fire, skill-loaded, plugin_session_start'),
  // Strands: the time, as its manual has it told.
  ...program('now'),
  // Mastra.
  ...program(`
    current-task-list, task-list-update, current-objective, notification-summary, remembered,
    remind-answer, remind-continuation`),
  // goose.
  ...program('info-msg'),
  // Gemini CLI.
  ...program('session_context'),
  ...hook('hook_context'),
  // Antigravity.
  ...wrapper('user_request'),
  ...named('program', 'output')('additional_metadata'),
  ...program('user_settings_change'),
  ...instructions('loaded_context'),
  ...named('summary', 'output')('state_snapshot, conversation-summary, conversation_summary'),
  // Cursor and others that write as it does.
  ...program(`
    user_info, additional_data, attached_files, open_and_recently_viewed_files,
    manually_attached_skills, agent_transcripts`),
  // Cline and its kin: what stands for the files that the user names, and what the user says.
  ...program(`
    environment_details, explicit_instructions, file_content, folder_content, url_content,
    workspace_diagnostics, terminal_output, git_working_state, git_commit`),
  ...wrapper('user_message'),
  // pi and Crush: files that the user names or attaches, whose text may speak of such tags.
  ...named('program', 'output')('file'),
  ...program('system_info'),
  // mini-swe-agent, opencode, and prompts for models that call tools in their text.
  ...named('tool', 'observation')('returncode'),
  ...named('tool', 'whole')('path'),
  ...output(`
    function_results, function_result, tool_response, tool_result, tool_results`),
]);

/** Words that a tag of an everyday name has to stand before, or it is the user's own. */
export const TAG_SIGNS: ReadonlyMap<string, RegExp> = new Map([
  // The date comes first in VS Code, or one of these where it is left out.
  [
    'context',
    /^<context>\s{0,8}(?:The current date is |Terminals:|Terminal: |The user has made edits |Additional instructions from hooks: )/,
  ],
  ['channel', /^<channel\s[^<>]*source=/i],
  ['notification', /^<notification\s[^<>]*source_kind=/i],
  ['image', /^<\/?image(?:\s[^<>]*name=|>\s*(?:$|<\/image>))/i],
  [
    'returncode',
    /^<returncode>-?\d{1,10}<\/returncode>\s{0,8}<(?:output|warning|output_head|exception)>/i,
  ],
  ['tick', /^<tick>[^<]{0,200}<\/tick>/i],
  ['mcp-resource', /^<mcp-resource\s[^<>]*server=/i],
  ['explicit_instructions', /^<explicit_instructions\s[^<>]*type=/i],
  ['file_content', /^<file_content\s[^<>]*path=/i],
  ['folder_content', /^<folder_content\s[^<>]*path=/i],
  ['url_content', /^<url_content\s[^<>]*url=/i],
  ['git_commit', /^<git_commit\s[^<>]*hash=/i],
  ['file', /^<file\s(?:name|path)=(?:"[^"<>\n]{1,900}"|'[^'<>\n]{1,900}')>/],
  ['system_info', /^<system_info>The files below have been attached by the user,/],
  ['path', /^<path>[^<\n]{1,500}<\/path>\s*<type>(?:file|directory)<\/type>/],
  ['skill', /^<skill(?:>\s*<name>|\s[^<>]*location=)/i],
  ['attachments', /^<attachments>\s*<attachment\s/i],
]);

/** The prompt with which SWE-agent ends what a command has printed, and the task itself. */
export const SHELL_PROMPT = /\(Open file: [^\n]{0,500}\)\n\(Current directory: [^\n]{0,500}\)\n/;

export const SHELL_TASK = /^We're currently solving the following /;

/** How the Gemini CLI and its descendants, such as Qwen Code, begin to tell where and when they work. */
export const CHAT_CONTEXT =
  /^This is (?:the )?\w[\w .-]{1,40}\. We are setting up the context for our chat/;

/**
 * What Claude Code says in reminders of the moment alone: files that it has read for the user, what is
 * open in the editor, todos, plan mode, what is used up.
 */
const OF_MOMENT = [
  String.raw`Called the \w+ tool |Result of calling the |Note: |PDF file: |<(?:new-diagnostics|mcp-resource)\b`,
  'The user (?:opened|selected|has) |(?:This is a reminder that )?Your todo list |The (?:TodoWrite|task) tools? ',
  '(?:Plan|Auto) mode |## (?:Exited|Re-entering) |Token usage: |USD budget: ',
].join('|');

/**
 * The place and time that an agent works in, as Codex and Gemini tell it at the start; Droid puts them into
 * reminders, beside the project's instructions and the agents and tools that there are. Claude Code 2.1.76
 * names the tools first that are to be loaded.
 */
export const SURROUNDINGS = new RegExp(
  [
    String.raw`^\s*<(?:environment_context|session_context|available-deferred-tools)[\s>]`,
    String.raw`^\s*<system-reminder>(?!\s*(?:${OF_MOMENT}))`,
    CHAT_CONTEXT.source,
  ].join('|'),
  'i',
);

/** How the project's instructions are handed over by Codex: a heading, then a block. */
export const AGENTS_HEADING =
  /^# AGENTS\.md instructions(?: for (?:[~/]|[A-Za-z]:[\\/])[^\n]{0,500}\s*$|[^\n]{0,500}\n\s{0,10}(?=<INSTRUCTIONS>))/;

/** How Claude Code tells where it works, and when. */
export const ENVIRONMENT_NOTE = /^(?:# Environment\n|Today's date is \d{4}-)/;

/**
 * Inside a reminder: what the user, or whoever has called a subagent, typed while the agent was working, and
 * the words around it.
 */
export const TYPED_MEANWHILE =
  /^(?:The user sent (?:a new message while you were working|the following message)|The coordinator sent a message while you were working):\s*/;
export const AFTER_TYPED =
  /\n\n?(?:IMPORTANT: After completing your current task, you MUST address|Please address this message and continue|This is how Claude Code surfaces|Address this before completing your current task\.)/;

/** How Claude Code hands over what another agent has sent. */
const SENT = String.raw`(?:Another Claude|A peer) session sent a message(?: while you were working)?:[ \t]*\n`;
export const SENT_BY_AGENT = new RegExp(`^${SENT}`);

/**
 * Inside a reminder: what stands before that which a task in the background or another agent says, such as
 * a warning and the tools that it has used.
 */
export const NOTICE_OF_OTHERS = new RegExp(
  String.raw`^(?:<tools-used-before-summary>[^<]{0,4000}<\/tools-used-before-summary>\n)?(?:(?:\[SYSTEM NOTIFICATION[^\n]{0,200}\n(?:[^<\n][^\n]{0,1000}\n|\n){0,12})?(?=<task-notification>)|(?=${SENT}))`,
);

/** A reminder of these is of a hook, or holds the instructions of the project. */
export const REMINDER_OF_HOOK =
  /^\s*[A-Z]\w{1,40}(?::[\w.*-]{1,80})? hook (?:additional context|success|error|blocking error|feedback|stopped)/;
export const REMINDER_OF_PROJECT =
  /# claudeMd\b|^(?:Contents of|Instructions no longer present:) [^\n]{1,500}(?:CLAUDE|AGENTS|GEMINI)(?:\.local)?\.md\b/im;

/**
 * Commands to the program in which the user sits: words to it and not to the agent. (`/compact` is
 * one to us where it stands alone.)
 */
export const PROGRAM_COMMANDS: ReadonlySet<string> = new Set(
  `add-dir agents approvals bashes bug chat clear compress config context copy cost diff doctor
  editor effort exit export fast feedback help hooks ide install-github-app keybindings login
  logout mcp memory mention mode model new output-style permissions plugin plugins
  privacy-settings quit release-notes rename reset resume rewind sandbox session settings skills
  stats status statusline tasks terminal-setup theme upgrade usage vim`.split(/\s+/),
);
/** Of these the word after them belongs to them. */
export const COMMANDS_WITH_WORD: ReadonlySet<string> = new Set(
  'approvals config effort mode model output-style permissions theme'.split(' '),
);
