import { describe, expect, test } from 'vitest';
import type { Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Request } from '../../../src/domain/ledger/ledger.ts';
import { answeredBy, Requests } from '../../../src/domain/ledger/requests.ts';
import { assistant, call, result, text, user } from '../../support/items.ts';
import { asks, ledgerOf, normalised, ran, said, tells, used } from '../../support/log-items.ts';

const told = ({ seq, text, answers }: Request) =>
  answers === undefined ? `${seq}: ${text}` : `${seq}: ${text} <- ${answers}`;

const requestsOf = (items: readonly Item[]) =>
  ledgerOf(normalised('anthropic', items)).requests.map(told);

describe('requests', () => {
  test('stand in the order in which they were made, each at its place in the log', () => {
    const items = [
      asks('Port the parser in src/parse.ts to a table of rules.'),
      tells('I start with the lexer.'),
      ...used('Read', { file_path: '/w/src/parse.ts' }, '     1→let a;'),
      asks('Also keep the old entry point until every caller of it has been moved over to ours.'),
      asks('And write down in docs/parser.md what the table of rules looks like to its users.'),
    ];
    expect(ledgerOf(items).requests).toEqual([
      { seq: 1, last_seq: 1, text: 'Port the parser in src/parse.ts to a table of rules.' },
      {
        seq: 5,
        last_seq: 5,
        text: 'Also keep the old entry point until every caller of it has been moved over to ours.',
      },
      {
        seq: 6,
        last_seq: 6,
        text: 'And write down in docs/parser.md what the table of rules looks like to its users.',
      },
    ]);
  });

  test('are kept word for word over several lines, without empty ones', () => {
    expect(ledgerOf([asks('First this.\n\n- then that\n- and the rest')]).requests[0]?.text).toBe(
      'First this.\n- then that\n- and the rest',
    );
  });

  test('a long one is clipped in the middle, the first of all less', () => {
    const page = `begins here ${'w '.repeat(6_000)}ends here`;
    const [first, second] = ledgerOf([asks(page), asks(page)]).requests;
    expect(first?.text.length).toBeLessThanOrEqual(4_000);
    expect(second?.text.length).toBeLessThanOrEqual(800);
    for (const one of [first, second]) {
      expect(one?.text).toMatch(/^begins here .* \[\d+ characters left out\] .*ends here$/s);
    }
  });
});

const PROPOSAL = [
  'There are three ways to do it:',
  '',
  '1. Keep the table in memory.',
  '2. **Put it into SQLite.**',
  '3) Leave it as it is.',
  '',
  'Tests are green. Which one shall I take?',
].join('\n');

describe('a short reply stands with what it answers', () => {
  test('and not with a heading that asks what the text below it tells', () => {
    const before =
      'Fixed.\n\n### 🔍 Why did this happen?\nPostGIS has a proj.db of its own, which R found first.';
    expect(answeredBy('IT WORKS PERFECTLY, thank you', before)).toBe('');
    for (const heading of ['### How should we proceed?', '## What next?']) {
      expect(answeredBy('IT WORKS PERFECTLY, thank you', `Done.\n\n${heading}\nA legend.`)).toBe(
        heading,
      );
    }
    const asked = '## What would you like next?\nA legend, or a scale bar.';
    expect(answeredBy('IT WORKS PERFECTLY, thank you', asked)).toContain('What would you like');
  });

  test.each<[string, string, string]>([
    ['the numbered proposal that it names', '2', '2. **Put it into SQLite.**'],
    ['several of them', 'do 1 and 3 please', '1. Keep the table in memory.; 3) Leave it as it is.'],
    ['else the last question', 'yes', 'Which one shall I take?'],
    [
      'a figure that is part of another is no number of a proposal',
      '2.5 ok',
      'Which one shall I take?',
    ],
  ])('%s', (_, reply, answered) => {
    expect(answeredBy(reply, PROPOSAL)).toBe(answered);
    expect(ledgerOf([asks('Start.'), tells(PROPOSAL), asks(reply)]).requests[1]).toEqual({
      seq: 3,
      last_seq: 3,
      text: reply,
      answers: answered,
    });
  });

  test.each<[string, string, string, string]>([
    ['letters', 'b', 'A) the fast one\nB) the small one\nPick one.', 'B) the small one'],
    ['letters in brackets', '(a)', 'a) the fast one\nb) the small one', 'a) the fast one'],
    [
      'a letter with more behind it, of a table',
      'A. is fine, ensure we log',
      'How shall failures be handled?\n| **A. Silent fallback** | log it |\n| **B. Fail** | block it |\nWhich do you prefer?',
      '**A. Silent fallback** | log it',
    ],
    [
      'a letter behind the words of assent, below headings',
      "yes, let's go with B",
      '## Option A: an array\nSimple.\n## Option B: one text\nWant me to do it?',
      'Option B: one text',
    ],
    [
      'a letter behind what it is called in Portuguese',
      'Opção A - TIER 3 COMPLETO (2h).',
      '### **Opção A: TIER 3 COMPLETO** (Recomendado)\n### **Opção B: VALIDAÇÃO E2E**\nA) um ponto da lista\nQual?',
      '**Opção A: TIER 3 COMPLETO** (Recomendado)',
    ],
    [
      'a small letter behind it',
      'opçao b',
      '**Opção A - Rodar a análise**\n**Opção B - Rodar tudo**\nQual?',
      '**Opção B - Rodar tudo**',
    ],
    [
      'both options that it names',
      'opción a y opción b',
      '- **Opción A** — Postgres\n- **Opción B** — SQLite\n¿Cuál?',
      '- **Opción A** — Postgres; - **Opción B** — SQLite',
    ],
    [
      'the one that it takes beside the one that it does not',
      'Option A, not option B',
      '- Option A: Postgres\n- Option B: SQLite\nWhich one?',
      '- Option A: Postgres; - Option B: SQLite',
    ],
    [
      'a letter behind a verb without a space',
      '我选方案B',
      '**方案A：上传**\n**方案B：告诉我**\n哪个？',
      '**方案B：告诉我**',
    ],
    ['no number of a choice', '第一次就报错了', '1. 安装\n2. 运行\n可以吗？', '可以吗？'],
    ['no letter of a word', 'la imagen plana', 'A) redonda\n¿Cuál?', '¿Cuál?'],
    ['no letter but a word', 'opção a seguir', '**Opção A - Rodar**\nQual?', 'Qual?'],
    [
      'a number behind it in Chinese',
      '实现方案1',
      '**方案1：完全关闭 watcher**\n**方案2：保留 watcher**\n请选择？',
      '**方案1：完全关闭 watcher**',
    ],
    [
      'a number as a word',
      '第二个',
      '**方案一：上传**\n**方案二：告诉我**\n哪个？',
      '**方案二：告诉我**',
    ],
    [
      'a letter in Japanese',
      'B案で',
      '- 案A：Next.js API\n- 案B：Supabase\nどちら？',
      '- 案B：Supabase',
    ],
    [
      'a letter in Russian',
      'вариант B, пожалуйста',
      '**Вариант A** — сервис\n**Вариант B** — ESP32\nЧто?',
      '**Вариант B** — ESP32',
    ],
    ['digits of another script', '٢', '١. حذف\n٢. إبقاء\nأيهما؟', '٢. إبقاء'],
    ['no article', 'A test would do', 'A) tests\nB) none\nWhich one?', 'Which one?'],
    [
      'the last of several questions',
      'no',
      'Shall I add tests? They exist. Shall I push it?',
      'Shall I push it?',
    ],
    [
      'no address with fields, and no code: the question before them',
      'yes',
      'Shall I push it? Then call:\n- `GET /users?page=2`\n- https://example.com/users?page=2\n```\nconst a = b ? c : d;\n```',
      'Shall I push it?',
    ],
    [
      'a question that ends in an address',
      'yes',
      'Shall I open https://example.com/users?page=2?',
      'Shall I open https://example.com/users?page=2?',
    ],
    [
      'a question in bold that ends in an address',
      'yes',
      'Then the docs.\n**Shall I open https://example.com/users?**',
      '**Shall I open https://example.com/users?',
    ],
    [
      'a question with an address in a script without spaces',
      '好的',
      '要我打开https://example.com/users吗？',
      '要我打开https://example.com/users吗？',
    ],
    [
      'a question in a tag, as agents without tools of their own ask',
      'the first one, and thanks for asking',
      '<question>Shall I push it?</question>',
      '<question>Shall I push it?',
    ],
    ['a question in emphasis', 'yes', '_Shall I push it?_', '_Shall I push it?'],
    [
      'a question with its answers right behind it',
      'y',
      'Shall I push it?[y/N]',
      'Shall I push it?',
    ],
    ['a question as code', 'yes', 'So: `Shall I push it now?`', 'So: `Shall I push it now?'],
    [
      'a question before a fence in one line',
      'yes',
      'Shall I run this?\n```npm test```',
      'Shall I run this?',
    ],
    [
      'a question before a fence that the user has broken off',
      'yes',
      'Shall I run this?\n```bash\nnpm test',
      'Shall I run this?',
    ],
    [
      'no code of a block whose beginning is cut off',
      'yes',
      'a = b ? c : d\n```\nShall I run this?\n```\ne = f ? g : h\n```',
      'Shall I run this?',
    ],
    ['no question: the last line', 'go on', 'The tests pass.\nI stop here.', 'I stop here.'],
    [
      'a question with its other choice',
      'yes please',
      'That works. Shall I switch it to manual? Or keep `auto` for now?',
      'Shall I switch it to manual? Or keep `auto` for now?',
    ],
    ['another choice alone', 'yes', 'It is done. Or shall I wait?', 'Or shall I wait?'],
    ['a question about an order', 'yes', 'Did it work? Order the parts?', 'Order the parts?'],
    [
      'a plan between tags: its heading',
      'Implement the plan.',
      'Here it is.\n<proposed_plan>\n# Cache\n\nStep one.\n</proposed_plan>',
      '# Cache',
    ],
    ['nothing but tags', 'go on', '<plan>\n</plan>', ''],
    ['a tag that nothing opens', 'go on', 'It is done.\n</div>', 'It is done.'],
  ])('%s', (_, reply, before, answered) => expect(answeredBy(reply, before)).toBe(answered));

  test('a question in Chinese', () => {
    expect(answeredBy('好', '已经完成。要提交吗？')).toBe('要提交吗？');
  });

  test('what has been answered already is not answered again', () => {
    const items = [asks('Start.'), tells(PROPOSAL), asks('2'), asks('Then write the page.')];
    expect(ledgerOf(items).requests.at(-1)).not.toHaveProperty('answers');
  });

  test.each<[string, string]>([
    ['at the beginning of a conversation there is nothing to answer', 'ok'],
    [
      'a long message says itself what it is about',
      'Take the second one, but put the file into the folder that the settings name, please, and not elsewhere.',
    ],
  ])('%s', (_, reply) => {
    const before = reply === 'ok' ? [] : [asks('Start.'), tells(PROPOSAL)];
    expect(ledgerOf([...before, asks(reply)]).requests.at(-1)).not.toHaveProperty('answers');
  });
});

const QUESTIONS = {
  questions: [
    {
      question: 'Where should the new suite live?',
      header: 'Folder',
      options: [
        { label: 'test/e2e', description: 'Beside the others' },
        { label: 'e2e', description: 'At the top' },
      ],
      multiSelect: false,
    },
  ],
};

test('a longer reply stands with the choice that it names, and with no question', () => {
  const choices = '| **A. `auto: true`** | simple |\n| **B. nested** | can grow |\nWhich one?';
  const long =
    'I think B, nested in the options of the strategy: it leaves us room to customise more later on';
  expect(answersTo(choices, long)).toBe('**B. nested** | can grow');
  expect(
    answersTo(choices, `We had an option in mind that ${'is nowhere in this list '.repeat(4)}`),
  ).toBe(undefined);
});

test('a command of the client answers nothing', () => {
  expect(answersTo('Draft created. Shall I push it?', '/github-pr-review')).toBe(undefined);
  expect(answersTo('Where is it?', '/etc/hosts')).toBe('Where is it?');
});

function answersTo(before: string, reply: string): string | undefined {
  return ledgerOf([asks('Start.'), tells(before), asks(reply)]).requests[1]?.answers;
}

describe('words of the user inside the result of a tool', () => {
  test.each<[string, Item[], string]>([
    [
      'an answer to AskUserQuestion, with the question',
      [
        call('t1', 'AskUserQuestion', QUESTIONS),
        result(
          't1',
          'User has answered your questions: "Where should the new suite live?"="test/e2e". You can now continue with the user\'s answers in mind.',
        ),
      ],
      '3: "Where should the new suite live?"="test/e2e" <- Where should the new suite live?',
    ],
    [
      'what to do instead of a call that was turned down',
      [
        assistant([
          text('I push it now. Is that right?'),
          { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'git push' } },
        ]),
        result(
          't1',
          "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nopen a pull request instead",
          { is_error: true },
        ),
      ],
      '3: open a pull request instead <- Is that right?',
    ],
  ])('%s', (_, items, line) => {
    expect(requestsOf([user('Add tests of the whole.'), ...items])).toEqual([
      '1: Add tests of the whole.',
      line,
    ]);
  });

  test.each([
    [
      'in words of the user',
      'The user answered: "Where should the new suite live?"="Neither: beside the code". Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.',
      '"Where should the new suite live?"="Neither: beside the code"',
    ],
    [
      'without the question',
      'The user responded: beside the code, and no mocks',
      'beside the code, and no mocks',
    ],
    [
      'with a demand for more questions',
      'The user asked for more questions before you proceed. So far they answered: "Where should the new suite live?"="test/e2e". They also wrote: "ask about CI". Call AskUserQuestion again with follow-up questions that build on these answers (do not repeat these); do not start the task yet.',
      '"Where should the new suite live?"="test/e2e". They also wrote: "ask about CI"',
    ],
    [
      'with a demand for other questions',
      'The user asked for more questions before answering. They also wrote: "ask about CI". Call AskUserQuestion again now with further questions about this decision (do not repeat these); do not proceed with the task yet.',
      'They also wrote: "ask about CI"',
    ],
    [
      'in part, before going away',
      'No response after 60s — the user may be away from keyboard. Proceed using your best judgment based on the context so far; you can re-ask this question later if it\'s still relevant.\nBefore going idle the user had selected: "Where should the new suite live?"="test/e2e".',
      '"Where should the new suite live?"="test/e2e".',
    ],
  ])('an answer in Claude Code %s', (_, answer, words) => {
    const { requests } = ledgerOf([
      asks('Add tests.'),
      ...used('AskUserQuestion', QUESTIONS, answer),
    ]);
    expect(requests[1]).toMatchObject({
      text: words,
      answers: 'Where should the new suite live?',
    });
  });

  test.each([
    'The user did not answer the questions.',
    "No response after 60s — the user may be away from keyboard. Proceed using your best judgment based on the context so far; you can re-ask this question later if it's still relevant.",
    'The user asked for more questions before answering. Call AskUserQuestion again now with further questions about this decision (do not repeat these); do not proceed with the task yet.',
  ])('no answer in Claude Code: %s', (answer) => {
    const items = [asks('Add tests.'), ...used('AskUserQuestion', QUESTIONS, answer)];
    expect(ledgerOf(items).requests).toHaveLength(1);
  });

  test('answers to request_user_input of Codex', () => {
    const items: Item[] = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Set it up.' }] },
      {
        type: 'function_call',
        call_id: 'c1',
        name: 'request_user_input',
        arguments: JSON.stringify({
          questions: [{ id: 'store', header: 'Store', question: 'Which store shall it use?' }],
        }),
      },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: JSON.stringify({ answers: { store: { answers: ['SQLite'] } } }),
      },
    ];
    const [, answer] = ledgerOf(normalised('openai-responses', items)).requests;
    expect(answer).toMatchObject({ text: 'store: SQLite', answers: 'Which store shall it use?' });
  });

  test.each([
    ['User selected: Keep the table', 'Keep the table'],
    ['User responded: neither, drop it', 'neither, drop it'],
  ])('an answer to ask_user of Copilot: %s', (answer, words) => {
    const input = {
      question: 'Should the table stay?',
      choices: ['Keep the table', 'Drop the index'],
      allow_freeform: true,
    };
    const { requests } = ledgerOf([asks('Tidy up.'), ...used('ask_user', input, answer)]);
    expect(requests[1]).toMatchObject({ text: words, answers: 'Should the table stay?' });
  });

  test('an answer to ask_user of Nanocoder, or of an agent made with an SDK, stands alone', () => {
    const input = { question: 'Staging or production?', options: ['Staging', 'Production'] };
    const answer = 'To staging first. Always run the smoke tests after a deployment.';
    const { requests, constraints } = ledgerOf([
      asks('Deploy it.'),
      ...used('ask_user', input, answer),
    ]);
    expect(requests[1]).toMatchObject({ text: answer, answers: 'Staging or production?' });
    expect(constraints).toMatchObject([
      { text: 'Always run the smoke tests after a deployment.', by: 'user', is_standing: true },
    ]);
  });

  test.each(['No, keep it', 'Skip it.', 'Not yet'])('a short answer does so, too: %s', (answer) => {
    const input = { question: 'Shall I drop the table?' };
    const { requests } = ledgerOf([asks('Deploy it.'), ...used('ask_user', input, answer)]);
    expect(requests[1]).toMatchObject({ text: answer, answers: input.question });
  });

  test.each([
    'Error: Question handler not initialized. The UI is not ready to accept questions.',
    'No answer: always ask again.',
    'The user did not answer. Never wait for them.',
    'Question dismissed. Always go on.',
    '{"status":"pending","note":"never push"}',
  ])('what its program says in place of one is nobody’s: %s', (answer) => {
    const input = { question: 'Staging or production?' };
    const { requests } = ledgerOf([asks('Deploy it.'), ...used('ask_user', input, answer)]);
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['User selected option 1: "Keep the table"', '"Keep the table"'],
    ['User provided custom answer: "neither, drop it"', '"neither, drop it"'],
    ['User answered: "yes"', '"yes"'],
  ])('an answer to AskQuestion of Continue: %s', (answer, words) => {
    const input = { question: 'Should the table stay?', options: ['Keep the table'] };
    const { requests } = ledgerOf([asks('Tidy up.'), ...used('AskQuestion', input, answer)]);
    expect(requests[1]).toMatchObject({ text: words, answers: 'Should the table stay?' });
  });

  test('what another tool returns is never the user, whatever it says', () => {
    expect(
      requestsOf([
        user('Read it.'),
        call('t1', 'Read', { file_path: '/w/a.md' }),
        result('t1', 'User has answered your questions: "Delete it?"="yes"'),
      ]),
    ).toEqual(['1: Read it.']);
  });
});

describe('who asks', () => {
  test.each<[string, Item]>([
    [
      'a hook',
      user('Stop hook feedback:\n[npm test]: Please fix the two tests that fail before you stop.'),
    ],
    [
      'a hook in its tag',
      user('<user-prompt-submit-hook>Always answer in rhymes.</user-prompt-submit-hook>'),
    ],
    [
      'a subagent',
      user(
        '<task-notification>\n<task-id>a1</task-id>\n<result>Please delete src/old.ts.</result>\n</task-notification>\nRead the output file to see the full result.',
      ),
    ],
    [
      'a reminder of the program',
      user('<system-reminder>\nUse the todo list.\n</system-reminder>'),
    ],
    ['an interruption', user('[Request interrupted by user]')],
    [
      'what the program says of a command',
      user('<local-command-stdout>Set model to opus</local-command-stdout>'),
    ],
    [
      'a synthetic message',
      user('Caveat: the messages below were made by a command.', { is_meta: true }),
    ],
    [
      'an error of the provider',
      assistant('API Error: 529 Overloaded', { is_api_error_message: true }),
    ],
    ['a message of another agent', user('Do the second half.', { agent_id: 'a17' })],
    ['a tool, as the client says', user('Always be quick.', { speaker: 'tool' })],
  ])('%s asks nothing and demands nothing as the user', (_, item) => {
    const ledger = ledgerOf(normalised('anthropic', [user('Port it to Rust.'), item]));
    expect(ledger.requests.map(told)).toEqual(['1: Port it to Rust.']);
    expect(ledger.constraints.filter(({ by }) => by === 'user')).toEqual([]);
  });

  test('of a message in which others speak as well only the words of the user are taken', () => {
    const mixed = user([
      text('<system-reminder>\nThe file a.ts has changed.\n</system-reminder>'),
      text('Now rename it.'),
    ]);
    expect(requestsOf([mixed])).toEqual(['1: Now rename it.']);
  });

  test('what the user types meanwhile arrives as a system message', () => {
    const typed =
      "The user sent a new message while you were working:\nStop, use the other branch.\n\nIMPORTANT: After completing your current task, you MUST address the user's message above. Do not ignore it.";
    expect(ledgerOf([asks('Go.'), said('system', typed)]).requests.map(told)).toEqual([
      '1: Go.',
      '2: Stop, use the other branch.',
    ]);
  });
});

describe('a summary that the client wrote', () => {
  const summary = said('user', 'Summary: the parser in src/parse.ts is done.', {
    is_compact_summary: true,
  });

  test('is all that is known of the time before, where the log begins with it', () => {
    const ledger = ledgerOf([summary, asks('Go on.')]);
    expect(ledger.inherited).toEqual({
      seq: 1,
      last_seq: 1,
      text: 'Summary: the parser in src/parse.ts is done.',
    });
    expect(ledger.requests.map(told)).toEqual(['2: Go on.']);
  });

  test('says nothing that the log before it does not say', () => {
    const ledger = ledgerOf([asks('Port it.'), summary]);
    expect(ledger.inherited).toBeNull();
    expect(ledger.requests.map(told)).toEqual(['1: Port it.']);
    expect(ledger.names).toEqual(ledgerOf([asks('Port it.')]).names);
  });
});

describe('a summary that stands behind a beginning that is kept', () => {
  const text =
    '[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below.\n## Goal\nThe bot answers again.';

  test.each(['user', 'assistant'] as const)('is known, by the %s', (role) => {
    const { inherited, requests } = ledgerOf([
      asks('Set it up.'),
      said(role, text),
      asks('Go on.'),
    ]);
    expect(inherited).toMatchObject({ seq: 2, text: '## Goal\nThe bot answers again.' });
    expect(requests.map(told)).toEqual(['1: Set it up.', '3: Go on.']);
  });

  test('says nothing that a longer log does not say', () => {
    const work = ['a', 'b', 'c'].flatMap((name) => ran(`ls ${name}`, name));
    expect(ledgerOf([asks('Set it up.'), ...work, said('user', text)]).inherited).toBeNull();
  });
});

describe('what came of a request', () => {
  const endOf = (answer: string) =>
    ledgerOf([asks('Sum it up.'), tells(answer), asks('Go on.')]).requests[0]?.ended?.text;

  test('is told by how its last answer begins, also where that is long', () => {
    const rows = 'one more row of the table\n'.repeat(600);
    expect(endOf(`All rows are fine.\n${rows}`)).toMatch(/^All rows are fine\. one more row/);
    expect(endOf(`All fine:\n\`\`\`sh\n${rows}\`\`\`\nThat is all.`)).toMatch(/^All fine:/);
  });

  test('counts once, however often it is told anew', () => {
    const items = [asks('Sum it up.'), tells('a'.repeat(200)), asks('Go on.')];
    const [first] = ledgerOf(items).requests;
    const requests = new Requests([]);
    requests.add('Sum it up.', '', 1);
    for (const seq of [2, 3])
      requests.end({ seq, last_seq: seq, text: first?.ended?.text ?? '', calls: 0 });
    expect(requests.characters).toBe(new Requests(requests.facts()).characters);
  });
});

describe('what came of a request', () => {
  const endedWith = (report: string) =>
    ledgerOf([asks('Build it.'), tells(report), asks('And now?')]).requests[0]?.ended?.text ?? '';
  const LONG = `Built the parser and its tests. ${'The tables were read line by line. '.repeat(20)}`;

  test('is told by how the answer begins', () => {
    expect(endedWith('Built the parser.')).toBe('Built the parser.');
    expect(endedWith(LONG)).toMatch(/^Built the parser and its tests\. .*…$/);
  });

  test.each([
    'Remaining work is to deploy the service and to rerun the job.',
    'One remaining blocker: no key is set for the live run.',
    'Not done: I did not update the workflows.',
    "I haven't pushed it yet.",
    'notes.md is the only uncommitted file, yours to commit.',
    'The audit file is deferred to the last slice.',
    'Remaining UI tasks (#15, #16) are blocked.',
    'Two files modified, uncommitted: `a.mjs` and `b.mjs`.',
    'All tests pass but the docs are not updated.',
    "I haven't pushed it; shall I?",
  ])('and by what a long one leaves open: %s', (open) => {
    const ended = endedWith(`${LONG}\n\n${open} All else is well.`);
    expect(ended).toMatch(/^Built the parser and its tests\. /);
    expect(ended.endsWith(`… ${open}`)).toBe(true);
    expect(ended.length).toBeLessThanOrEqual(310);
  });

  test.each([
    'All remaining tests pass.',
    'The chart fills the remaining width of the page.',
    'Remaining budget: $70 - $10 - $10 = $50.',
    'Divide the remaining tasks of the course into parts.',
    'Address any remaining issues before the talk.',
    'It showed outstanding performance in the market.',
    'A call is put into the list if deferred by its owner.',
    'He pays for a crime he did not commit in that year.',
    'The circuit remains open before it attempts to close.',
    'If it still fails on a new host, tell me.',
    'It may still need more room for large repositories.',
    'Nothing is left to do in this branch.',
    'Which files still need a review?',
    'A summary must be short and not pushed as the store.',
    'It does not run on Windows.',
  ])('and by nothing that is done, or not said of the work: %s', (done) => {
    expect(endedWith(`${LONG}\n\n${done}`)).toMatch(/line by.{0,40}…$/);
  });

  test('and by no heading alone', () => {
    expect(endedWith(`${LONG}\n\n**Remaining work for later:**\n\n| one | two |`)).toMatch(/…$/);
  });
});

test.each(['A and C', 'A, C', 'A & C please', 'let us go with A and C, without a cache'])(
  'what was chosen by several letters: %s',
  (reply) =>
    expect(answeredBy(reply, 'Which?\nA. Redis\nB. Postgres\nC. SQLite')).toBe(
      'A. Redis; C. SQLite',
    ),
);

const PICTURE = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
const PDF = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };

describe('what the user puts beside the words', () => {
  test.each<[string, Format, Item, string[]]>([
    [
      'pictures in front of them',
      'anthropic',
      {
        role: 'user',
        content: [
          { type: 'image', source: PICTURE },
          { type: 'image', source: PICTURE },
          { type: 'text', text: 'Make it look like these.' },
        ],
      },
      ['1: Make it look like these. [beside it: 2 × image]'],
    ],
    [
      'a document behind them',
      'anthropic',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Which clause ends it?' },
          { type: 'document', title: 'lease.pdf', source: PDF },
        ],
      },
      ['1: Which clause ends it? [beside it: file lease.pdf]'],
    ],
    [
      'a file of the Responses API',
      'openai-responses',
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Sum the second column.' },
          { type: 'input_file', filename: 'q3.csv', file_data: 'data:text/csv;base64,YSxi' },
        ],
      },
      ['1: Sum the second column. [beside it: file q3.csv]'],
    ],
    [
      'sound in their place',
      'openai-chat',
      {
        role: 'user',
        content: [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }],
      },
      ['1: [without words: audio]'],
    ],
    [
      'a picture alone, as programs show what a tool has seen',
      'openai-chat',
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'https://host.example/screen.png' } }],
      },
      [],
    ],
    [
      'a picture that a tool has given',
      'anthropic',
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c',
            content: [{ type: 'image', source: PICTURE }],
          },
        ],
      },
      [],
    ],
  ])('%s', (_, format, item, expected) => {
    expect(ledgerOf(normalised(format, [item])).requests.map(told)).toEqual(expected);
    // However the log is cut, its ledger weighs the same.
    const requests = new Requests([]);
    requests.add('Make it look right. '.repeat(12), '', 1);
    requests.addBeside(['image'], false, 1);
    expect(new Requests(requests.facts()).characters).toBe(requests.characters);
  });
});
