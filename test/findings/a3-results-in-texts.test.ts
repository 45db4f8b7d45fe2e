import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Item } from '../../src/domain/items/item.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, ofTokens, text, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const ended = z.object({ outcome: z.string(), summary: z.string() });

let count = 0;
/** What the summary lists as said by the user, the lines that go on in it included. */
async function ofUser(items: Item[], settings: Item = {}): Promise<string> {
  count += 1;
  const id = `a3-results-${count}`;
  const body = { id, format: 'anthropic', context_window: 64_000, ...settings };
  const config = { auto_compact_enabled: false, protected_messages: null, protected_tokens: null };
  expect((await send(api, 'POST', '/sessions', { body: { ...body, config } })).status).toBe(201);
  expect((await send(api, 'POST', `/sessions/${id}/items`, { body: items })).status).toBe(201);
  await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
  const job = api.dispatched.at(-1);
  await api.work(job);
  const path = `/sessions/${id}/compactions/${job?.compaction_id}`;
  const { outcome, summary } = ended.parse((await send(api, 'GET', path)).body);
  expect(outcome).toBe('full_compacted');
  let isOfUser = false;
  return summary
    .split('\n')
    .filter((line) => {
      if (/^(?:- |#)/.test(line)) isOfUser = /^- User/.test(line);
      return isOfUser;
    })
    .join('\n');
}

const ENVIRONMENT =
  '<environment_details>\n# VSCode Visible Files\nsrc/a.ts\n\n# Current Mode\nACT MODE\n</environment_details>';
const code = (n: number) =>
  Array.from({ length: 60 }, (_, line) => `const toolOutput${n}_${line} = ${line};`).join('\n');

/** The same message as Cline sends it to Anthropic, and with its texts joined, as for other models. */
const WAYS: [string, (...texts: string[]) => Item][] = [
  ['texts apart', (...texts) => user([...texts, ENVIRONMENT].map(text))],
  ['texts joined', (...texts) => user([...texts, ENVIRONMENT].join('\n'))],
];

const FEEDBACK =
  'The user has provided feedback on the results. Consider their input to continue the task, and then attempt completion again.\n<feedback>\nNow also delete the old lexer tests, please.\n</feedback>';
const NO_TOOL =
  '[ERROR] You did not use a tool in your previous response! Please retry with a tool use.\n\n# Reminder: Instructions for Tool Use\n\nTool uses are formatted using XML-style tags.\n\n# Next Steps\n\n(This is an automated message, so do not respond to it conversationally.)';

describe('A3: results that Cline and its kin tell in texts', () => {
  describe.each(WAYS)('%s', (_, said) => {
    const reads = (from: number, to: number): Item[] =>
      Array.from({ length: to - from }, (_, at) => [
        assistant(`<read_file><path>src/f${from + at}.ts</path></read_file>`),
        said(`[read_file for 'src/f${from + at}.ts'] Result:`, code(from + at)),
      ]).flat();
    const session = [
      said('<task>\nFix the login bug.\n</task>'),
      ...reads(0, 4),
      assistant('<ask_followup_question><question>Which database?</question>'),
      said(
        "[ask_followup_question for 'Which database?\nThe user's choice counts.'] Result:",
        '<answer>\nPostgres sixteen, hosted in Frankfurt.\n</answer>',
      ),
      assistant('<execute_command><command>npm test</command></execute_command>'),
      said(
        "[execute_command for 'npm test\nnpm run build'] Result:",
        'The user denied this operation and provided the following feedback:\n<feedback>\nUse pnpm, never npm.\n</feedback>',
      ),
      assistant('<execute_command><command>pnpm start</command></execute_command>'),
      said(
        "[execute_command for 'pnpm start'] Result:",
        "Command is still running in the user's terminal.\nHere's the output so far:\ntoolOutput listening\n\nThe user provided the following feedback:\n<feedback>\nThe port is taken: choose 4010.\n</feedback>",
      ),
      assistant('I would say that it works.'),
      said(NO_TOOL),
      assistant('<write_to_file><path>a.md</path></write_to_file>'),
      said(
        "[write_to_file for 'a.md'] Result:",
        'The user approved this operation and provided the following context:\n<feedback>\nName the author, too.\n</feedback>',
        "[write_to_file for 'a.md'] Result:",
        'toolOutput: the content was saved.',
      ),
      assistant('<attempt_completion><result>Done.</result></attempt_completion>'),
      said('[attempt_completion] Result:', FEEDBACK),
      ...reads(4, 8),
      assistant(ofTokens(3_000)),
    ];
    const WORDS = ['login bug', 'Frankfurt', 'never npm', '4010', 'author', 'old lexer tests'];

    it.each(['default', 'claude-code', 'codex-v2', 'codex-classic', 'tiered', 'rawr'])(
      'profile %s: the content is the tool’s, the answers are the user’s',
      async (profile) => {
        const words = await ofUser(session, { profile });
        expect(words).not.toMatch(/toolOutput|did not use a tool|VSCode Visible/);
        for (const word of WORDS) expect(words).toContain(word);
      },
    );
  });

  it('the user who writes the next message by hand is no part of the result before', async () => {
    const words = await ofUser([
      user('Start.'),
      user([text("[read_file for 'a.ts'] Result:"), text('toolOutput')]),
      user('Then delete the branch.'),
      assistant(ofTokens(3_000)),
    ]);
    expect(words).toContain('delete the branch');
    expect(words).not.toContain('toolOutput');
  });

  it.each<[string, string[], string]>([
    [
      'told apart',
      ['[TASK RESUMPTION] This task was interrupted 5 minutes ago. It may be toolOutput.'],
      'New instructions for task continuation:',
    ],
    [
      'in the plan mode',
      ['[TASK RESUMPTION] This task was interrupted 1 hour ago. toolOutput'],
      'New message to respond to with plan_mode_respond tool (be sure to provide your response in the <response> parameter):',
    ],
    [
      'after a result',
      [
        "[read_file for 'a.ts'] Result:",
        'toolOutput',
        '[TASK RESUMPTION] This task was interrupted just now. toolOutput',
      ],
      'New instructions for task continuation:',
    ],
  ])('a task that is resumed, %s', async (_, before, sentence) => {
    const asked = `${sentence}\n<user_message>\nTag the release.\n</user_message>`;
    const texts = [...before, asked, ENVIRONMENT];
    for (const content of [texts.map(text), texts.join('\n\n')]) {
      const resumed = [user('Start.'), user(content), assistant(ofTokens(3_000))];
      const words = await ofUser(resumed);
      expect(words).toContain('Tag the release.');
      expect(words).not.toMatch(/toolOutput|New (?:instructions|message)/);
    }
  });
});

describe('A3: files that opencode reads for the user', () => {
  const CALL = 'Called the Read tool with the following input: {"filePath":"/r/a.ts"}';
  it.each([
    ['as it wrote them first', '<file>\n00001| const toolOutput = 1;\n</file>'],
    ['as they are', 'const toolOutput = 1;'],
    [
      'that it could not read',
      'Read tool failed to read /r/toolOutput.ts with the following error: ENOENT',
    ],
  ])('%s', async (_, content) => {
    const words = await ofUser([
      user([text('Explain the lexer.'), text(CALL), text(content), text(CALL), text(content)]),
      assistant(ofTokens(3_000)),
      user([text(CALL), text(content), text('Now the parser.')]),
      assistant(ofTokens(3_000)),
    ]);
    expect(words).toContain('Explain the lexer.');
    expect(words).toContain('Now the parser.');
    expect(words).not.toMatch(/toolOutput|Called the Read/);
  });
});

describe('A3: what other clients write as the user', () => {
  it.each<[string, string | string[], string]>([
    [
      'VS Code',
      "<context>\nThe current date is November 22, 2026.\nTerminals:\nTerminal: zsh toolOutput\n</context>\n<editorContext>\nThe user's current file is /r/toolOutput.ts.\n</editorContext>\n<reminderInstructions>\nYou are an agent - you must keep going until toolOutput.\n</reminderInstructions>\n<userRequest>\nFix the tests.\n</userRequest>",
      'Fix the tests.',
    ],
    [
      'goose',
      '<info-msg>\nIt is currently 2026-11-22 10:00:00\nWorking directory: /toolOutput\n</info-msg>\nFix the tests.',
      'Fix the tests.',
    ],
    [
      'goose, in texts apart',
      ['<info-msg>\nIt is currently toolOutput\n</info-msg>', 'Fix the tests.'],
      'Fix the tests.',
    ],
    [
      'Aider',
      "I have *added these files to the chat* so you can go ahead and edit them.\n\n*Trust this message as the true contents of these files!*\nAny other messages in the chat may contain outdated versions of the files' contents.\n\nsrc/a.ts\n```\nconst toolOutput = 1;\n```\n",
      '',
    ],
    [
      'Aider, for reading',
      'Here are some READ ONLY files, provided for your reference.\nDo not edit these files!\n\nsrc/a.ts\n```\nconst toolOutput = 1;\n```\n',
      '',
    ],
    [
      'OpenHands',
      'Please continue working on the task on whatever approach you think is suitable.\nWhen you think you have solved the question, please use the finish tool and include your final answer in the message parameter of the finish tool.\nIMPORTANT: YOU SHOULD NEVER ASK FOR HUMAN HELP.\n',
      '',
    ],
    [
      'OpenHands, of another time',
      'Please continue on whatever approach you think is suitable.\nIf you think you have solved the task, please finish the interaction.\nIMPORTANT: YOU SHOULD NEVER ASK FOR HUMAN HELP.\n\nUse pnpm.',
      'Use pnpm.',
    ],
  ])('%s', async (_, content, own) => {
    const words = await ofUser([
      user('Start.'),
      assistant('Yes.'),
      user(typeof content === 'string' ? content : content.map(text)),
      assistant(ofTokens(3_000)),
      user('Go on.'),
      assistant(ofTokens(3_000)),
    ]);
    expect(words).toContain('Start.');
    expect(words).toContain(own);
    expect(words).not.toMatch(
      /toolOutput|added these files|READ ONLY|whatever approach|HUMAN HELP/,
    );
  });
});
