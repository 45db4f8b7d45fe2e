import { describe, expect, test } from 'vitest';
import { constraintTellings } from '../../../src/domain/compaction/extractive/user-lines.ts';
import { factsOf } from '../../../src/domain/ledger/facts.ts';
import type { Constraint } from '../../../src/domain/ledger/ledger.ts';
import { asks, ledgerOf, said, tells, used } from '../../support/log-items.ts';

const constraintsOf = (...texts: string[]): Constraint[] => ledgerOf(texts.map(asks)).constraints;
const standingOf = (...texts: string[]) =>
  constraintsOf(...texts).flatMap(({ text, is_standing }) => (is_standing ? [text] : []));

test.each([
  'Always name branches feat/<ticket>-<topic> here.',
  'Never push to <branch> without asking me.',
  'Never run `deploy <name> --force`, whatever fails.',
])('names that stand for others are part of what is said: %s', (rule) => {
  expect(standingOf(rule)).toEqual([rule]);
});

test("what another session's assistant says in a pasted terminal is not the user's", () => {
  const pasted = [
    'The review must be picked up every time. The transcript:',
    '❯ Commit the changes',
    '  ⎿  UserPromptSubmit says: You must address each suggestion.',
    '',
    '⏺ Only index.html must be included, port 8123.',
    '  - the flow field should never stop',
    '',
    'Never wait for 30 seconds.',
  ].join('\n');
  const { constraints, artifacts } = ledgerOf([asks('Go.'), asks(pasted)]);
  expect(constraints.map(({ text }) => text)).toEqual([
    'The review must be picked up every time.',
    'Never wait for 30 seconds.',
  ]);
  expect(artifacts.map(({ value }) => value)).not.toContain('8123');
});

test('frames are none, wherever they stand', () => {
  const framed =
    '<note>Never push to main.</note> Always sign commits.<br>\n<rules>\nNever rebase.';
  expect(standingOf(framed)).toEqual([
    'Never push to main.',
    'Always sign commits.',
    'Never rebase.',
  ]);
});

describe('what the user wants to hold for good', () => {
  test.each<[string, string]>([
    ['English', 'Always show the code in blocks with syntax highlighting.'],
    ['English', 'From now on, answer in one paragraph.'],
    ['English', 'I prefer tables to lists when figures are compared.'],
    ['English', "Don't ever push to the main branch."],
    ['English', 'Never push.'],
    ['English', 'Always ask!'],
    ['English', 'Use tabs, never spaces.'],
    ['English', 'Write functions, and never classes.'],
    ['English', 'Whenever I ask about dates, give the day of the week as well.'],
    ['English', 'Remember to run the linter before each commit.'],
    ['German', 'Ab jetzt bitte jede Antwort auf Deutsch.'],
    ['German', 'Lösche niemals eine Datei ohne Rückfrage.'],
    ['German', 'Künftig gilt die neue Schreibweise.'],
    ['French', 'Réponds toujours en français.'],
    ['French', 'Ne modifie jamais ce dossier.'],
    ['French', 'Désormais, écris les tests en premier.'],
    ['Spanish', 'Siempre responde con ejemplos.'],
    ['Spanish', 'A partir de ahora usa la otra rama.'],
    ['Italian', 'Usa sempre il nome completo.'],
    ['Portuguese', 'A partir de agora responda em português.'],
    ['Dutch', 'Gebruik altijd de korte vorm.'],
    ['Dutch', 'Vanaf nu schrijf je alles in het Nederlands.'],
    ['Chinese', '以后每次都要先写测试'],
    ['Chinese', '从现在开始用中文回答'],
    ['Japanese', '必ずテストを先に書いてください'],
    ['Japanese', '今後は日本語で答えて'],
    ['Korean', '앞으로 항상 한국어로 답해 주세요'],
    ['Russian', 'Всегда отвечай на русском языке.'],
    ['Russian', 'Никогда не удаляй файлы без вопроса.'],
    ['Traditional Chinese', '請記住:所有金額以分為單位'],
    ['Arabic', 'أجب دائماً بالعربية.'],
    ['Arabic', 'لا تحذف الاختبارات أبداً.'],
    ['Persian', 'همیشه به فارسی پاسخ بده.'],
    ['Hebrew', 'תמיד תענה בעברית בבקשה.'],
    ['Hindi', 'कृपया हमेशा टिप्पणियाँ हिन्दी में लिखें।'],
    ['Hindi', 'परीक्षण कभी भी मत हटाओ।'],
    ['Polish', 'Zawsze odpowiadaj po polsku.'],
    ['Ukrainian', 'Ніколи не видаляй тести без питання.'],
    ['Turkish', 'Her zaman Türkçe cevap ver.'],
    ['Indonesian', 'Jangan pernah hapus berkas uji.'],
    ['Vietnamese', 'Luôn trả lời bằng tiếng Việt.'],
    ['Swedish', 'Svara alltid på svenska, tack.'],
    ['Thai', 'ตอบเป็นภาษาไทยเสมอ'],
    ['of times to come', 'In the future, please name the item first.'],
    ['asked as a question', 'Can you always run the linter before you commit?'],
    ['the next time', 'Next time you made changes to the code, let me commit.'],
    ['the next time', 'Nice, but next time run the tests first.'],
    ['the next time', 'That is fine, but please ask before proceeding next time.'],
    ['stuck to by both', 'Let us stick with Postgres.'],
    ['preferred within a question', 'I prefer short bursts of work, can you plan the week?'],
  ])('%s: %s', (_, sentence) => {
    expect(constraintsOf(sentence)).toEqual([
      { seq: 1, last_seq: 1, text: sentence, by: 'user', is_standing: true },
    ]);
  });

  test('is taken sentence by sentence out of a longer message', () => {
    const message =
      'The export is slow today. Always keep the column order of the old report. Can you look at it?';
    expect(standingOf(message)).toEqual(['Always keep the column order of the old report.']);
  });

  test.each([
    [
      'أصلح خطأ تسجيل الدخول في auth/login.py. أجب دائماً بالعربية. لماذا يفشل دائماً؟ لا تحذف الاختبارات أبداً.',
      ['أجب دائماً بالعربية.', 'لا تحذف الاختبارات أبداً.'],
    ],
    ['लॉगिन ठीक करो। हमेशा हिन्दी में लिखो। फिर बताओ।', ['हमेशा हिन्दी में लिखो।']],
    [
      '로그인을 고쳐 주세요. 항상 한국어로 답해 주세요. 고맙습니다.',
      ['항상 한국어로 답해 주세요.'],
    ],
  ])('in scripts without capitals, too: %s', (message, standing) => {
    expect(standingOf(message)).toEqual(standing);
  });
});

test.each([
  'Push to a branch with a name of its own, e.g. `sync/2026-01-02`, and never force.',
  'Keep to the small screens, i.e. The phone and the tablet, and never scroll sideways.',
  'Nimm immer den kurzen Namen, z.B. Konto statt Kundenkonto.',
])('stays whole behind an abbreviation: %s', (text) => expect(standingOf(text)).toEqual([text]));

describe('what one task requires', () => {
  test.each([
    'The new endpoint must return 404 for unknown names.',
    "Don't touch the migrations folder.",
    'Dont try to run any tests right now, including docker tests.',
    'Make sure that the old clients still work.',
    'Die Ausgabe soll höchstens zehn Zeilen haben.',
    'Fais-le sans nouvelle dépendance.',
    'No uses bibliotecas externas.',
    '不要修改数据库的结构',
    'テストを先に実行してください',
    '테스트는 반복하지 마세요 그리고 빨라야 해야',
    'Формат файла менять нельзя.',
    'يجب أن تبقى الواجهة كما هي.',
    'Format pliku musi zostać ten sam.',
    'Đừng thay đổi định dạng tệp.',
    'не подключайся к этой сети, пиши логи',
    'Не трогайте файлы миграций.',
    '先别改后端的代码',
    '所有欄位都必須有註解',
    '커밋은 하지 말고 먼저 보여줘',
    'Ne touche pas aux migrations.',
    'Nie zmieniaj formatu pliku.',
    'The shop is NOT for concerts alone.',
  ])('%s', (sentence) => {
    expect(constraintsOf(sentence)).toEqual([
      { seq: 1, last_seq: 1, text: sentence, by: 'user', is_standing: false },
    ]);
  });

  test.each([
    'Bitte fass die Rohdaten nicht an.',
    'Нельзя менять формат файла.',
    'コメントは日本語で書いてください',
  ])('%s', (sentence) => expect(constraintsOf(sentence)).toMatchObject([{ text: sentence }]));
});

describe('what demands nothing', () => {
  test.each<[string, string]>([
    ['a question', 'Should the timeout be ten seconds or more?'],
    ['a question with "only"', 'Is it only the first request that fails?'],
    ['a wish without a rule', 'Add retries to the client.'],
    [
      'what does not always happen',
      "I take ibuprofen. But honestly, it doesn't always work — sometimes I need to lie down.",
    ],
    ['a question without a verb', 'Always a good idea?'],
    [
      'what should have been',
      'Glass Steagall should not have been repealed through the Gramm-Leach Act.',
    ],
    [
      'what a report tells of the past',
      'Originators had little incentive to look, and sold each loan without asking who could repay it.',
    ],
    [
      'what somebody preferred',
      'Bankers preferred these types of loans because they were profitable.',
    ],
    [
      'what somebody preferred, as a noun',
      'Greenspan’s policy and preference for self-regulating markets encouraged risk taking.',
    ],
    [
      'what comes at some time',
      'This system created incentives to issue loans with no thought of paying them in the future.',
    ],
    ['how somebody always is', 'If there is trouble, she is always there to assist.'],
    ['what is not there', 'It ran to its end, no tables were created.'],
    ['what somebody never did', "That's assuming they never sold any along the way, of course."],
    [
      'what somebody in a story says',
      '"Never, my Lady. I mock nothing. But this" I gesture at the image, "this wasn\'t the truth, was it?"',
    ],
    [
      'pasted code',
      'Here it is:\n```ts\n// Never call this twice, always close it.\nconst only = must.use(it);\n```',
    ],
    [
      'code that stands in no fence',
      [
        'Put this in app.py:',
        'st.metric("Crédito Industrial", "Solo Industrial")',
        'note = "must not be empty, only for admins"',
        'if (isOnly && mustStay) {',
        'throw new Error("the name must always be given");',
        'from rules import only_once, must_have',
      ].join('\n'),
    ],
    [
      'a log that stands in no fence',
      [
        'The build failed, here is the log:',
        'shop-app  | The daemon will no longer process any standard input.',
        '2026-04-08 07:13:01 LOG: the checkpoint must always be done',
        '07:13:01.120 only one worker is left, never start two',
        '[ERROR] you must specify a goal',
        'INFO this option should never be used',
        '> Task :app:mustAlwaysRun',
        'npm warn deprecated glob@7: do not use it any more',
      ].join('\n'),
    ],
    [
      'what the user has forgotten',
      'I don’t remember the email on the account, but my name is Kim.',
    ],
    ['what the user does not understand', "Don't understand why it fails."],
    ['what the user does not know', "We really don't know which of the two it was."],
    ['what still does not work, in Spanish', 'El botón de guardar sigue sin funcionar'],
    ['what still does not work, in Portuguese', 'O login continua sem funcionar aqui'],
    ['a quoted log', 'It says:\n```\nERROR: you must specify a file, see the docs\n```\n'],
    ['a word that only begins like one', 'Der Nietenzieher liegt im Schrank nebenan.'],
    ['a compound with "only"', 'Auditor (read-only access to reports)'],
    ['what is required of something else', 'Missing required field checks in the form'],
    ['a name of a field', 'donor display preference (full name, first name, anonymous)'],
    ['later phases', 'Consider a mobile app in future phases'],
    ['words that are quoted', 'The old prompt says "never delete a file" somewhere in it.'],
    ['Chinese words that are quoted', '配合“每次只分析三个客户”，模板化问题就解决了。'],
    ['a level of priority', '这个视频被提为最高优先级，这个判断对。'],
    ['a French relative clause', 'Voici la fonction dont je parle, et celle dont elle dépend'],
    ['a Chinese question', '然后我每次都要重新登录吗'],
    ['a Chinese question with a choice', '您是想先看看照片，还是优先考虑这三个编号？'],
    ['what does not work in Polish', 'To nie działa na moim komputerze.'],
    ['what an SQL line says', 'It uses ADD COLUMN IF NOT EXISTS there.'],
    ['who could not', 'мы не смогли найти причину и не были там'],
    ['a noun of other people', '这个区别人人都看得到，级别也一样'],
    ['what can always be done', 'I can always use a summary if I get lost.'],
    ['what always happens', 'That always leads to some interesting stories.'],
    ['what the user will do', "I think I'll stick to your schedule, thanks."],
    ['what the user asks about', 'Should I stick with Windows or switch?'],
    ['what may come', "I'd love to look for a new series in the future."],
    ['a question about times to come', 'Do you have tips for my work calls in the future?'],
    ['a question of need', 'So do I always need to factor it first?'],
    ['a question about what others prefer', 'Is that why induction is preferred over proof?'],
    ['a request to explain', 'Can you tell me why induction is preferred over proof?'],
    ['what shall be kept in mind', 'So, is there a trick to keep in mind here?'],
    ['a question of possibility', 'Can I easily update my will anytime without a lawyer?'],
  ])('%s', (_, message) => expect(constraintsOf(message)).toEqual([]));

  test.each([
    'Always call close() when the reader is done (also in tests).',
    'fetch() must never be called without a timeout',
    'WARNING: never delete the database.',
    'At all times (also at 10:00:00) always answer in English.',
    'Timeout = 30 seconds, and never more than that.',
    'if (and only if) the build fails, never push it.',
    'Responde sin rodeos, y siempre con ejemplos.',
    'MAX_RETRIES = 3 must never be changed (prod depends on it)',
    'port = 8080, never change it (the proxy expects that)',
    'migrate(users) must never be called (twice)',
    'INFO lines must never be removed from the log.',
    'api | must never log tokens',
    'import nothing from lodash, and never use "underscore"',
    'They must never see drafts.',
    'At least(2) reviewers must always approve.',
  ])('but prose that names code does: %s', (sentence) =>
    expect(standingOf(sentence)).toEqual([sentence]),
  );

  test.each([
    'I have never taken a course in this subject.',
    "I've never used this library before, so go slowly.",
    'The loop fetches a page and never closes its reader.',
    'It was there before and never did any harm.',
    'Impact: the client may never fill its local table from the answer.',
    'I have three tasks today, can you help me to prioritize them?',
    '**Empty archive** never tested.',
    'Always true.',
    'Never tried.',
    'It’s never committed.',
    'A reply cut off in the middle has an error of its own that is never even tested.',
    'The helpers for checksums exist in src/books.ts but are never called.',
    'Row.reason: computed but never shown to the reader',
    'The field is set, yet never used.',
    'I ran it before and no matter what I do it ends at once.',
    'Always-on mode (a process that stays) against a start for each request.',
    'The next time you run it, it prints the cached value.',
    'Next time I run the job it fails again.',
    'It is slower the first time, next time it takes a second.',
    'Will it remember my choice next time?',
    'I will have that ready next time.',
    'Next time run it prints nothing.',
  ])('what was or is: %s', (sentence) => expect(standingOf(sentence)).toEqual([]));

  test.each([
    'Remember this: "never push to main".',
    '“以后每次都要先写测试”',
    '以后每次都先跑测试，好吗？',
    'Never guess a name that you have not read.',
    'You may never push to main.',
    'The worker must never have two jobs at once.',
    'I never want to see that page again.',
    'Make sure that the hook of a draft is never called.',
    'The old export should never be executed.',
    'Drafts may be listed but never shown to guests.',
    'Names of profiles: never sent to a service of others.',
    'Tokens are hashed but never stored.',
    'No matter what the caller does, keep the file.',
    'Push to a branch of its own, never-forced or not; never delete one.',
    'Never-ever commit what the build writes.',
    'Tokens are read from the environment, but never checked in.',
  ])('but this does: %s', (sentence) => expect(standingOf(sentence)).toEqual([sentence]));

  test.each([
    'should we close the ticket only after the release',
    'so then do we need to import the session',
    "but then shouldn't we only keep the newest",
    'ok, do i have to restart without the cache',
    'how do I print only the words',
    'claude, como puedo dejar solamente palabras',
    'wie kann ich nur die Namen ausgeben',
    'comment je fais pour garder seulement les noms',
  ])('a question without its sign: %s', (text) => expect(constraintsOf(text)).toEqual([]));

  test.each([
    'do it without the cache',
    'should be possible only for owners',
    'so we should only keep the newest',
    'should we ever run out of space, only delete logs',
    'how do I build it, and do not touch the lock file',
    'como puedas, pero solamente con tabs',
    'how to build: only use make',
  ])('but this does: %s', (text) => expect(constraintsOf(text)).toHaveLength(1));

  test('the opening of a list', () => {
    expect(constraintsOf('The answer must have:\n- a title\n- a date')).toEqual([]);
  });

  test.each([
    'Never mind.',
    "Don't know.",
    "Don't see.",
    "Don't like!",
    'Never true.',
    'Never used.',
    'Always null',
    'The tool runs once, never stops.',
  ])('a few words that order nothing: %s', (text) => expect(constraintsOf(text)).toEqual([]));

  test.each([
    'Use the old endpoint, never fails.',
    'Keep it simple, always works.',
    'Put it behind a flag, never does harm.',
  ])('what something does of itself holds for nobody: %s', (text) => {
    expect(standingOf(text)).toEqual([]);
  });

  test('a question about what always happens', () => {
    expect(constraintsOf('Why does it always fail on Mondays?')).toEqual([]);
  });

  test('the assistant', () => {
    expect(ledgerOf([tells('I will always run the tests from now on.')]).constraints).toEqual([]);
  });
});

test('what a tool has asked is not what the user answers', () => {
  const question = 'Should we never mirror the old one? How closely must we follow it?';
  const input = { questions: [{ question, options: [] }] };
  const answers = `User has answered your questions: "${question}"="Always follow it closely". You can now continue with the user's answers in mind.`;
  const items = used('AskUserQuestion', input, answers);
  expect(ledgerOf(items).constraints.map(({ text }) => text)).toEqual([
    '"Always follow it closely"',
  ]);
});

test('what stands in quotes is demanded where little else is said, or a colon stands before it', () => {
  const rules = '"Always run the tests. Never push to main."';
  for (const text of [rules, `Write this into the guide, please: ${rules}`]) {
    expect(constraintsOf(text).length).toBeGreaterThan(0);
  }
});

test.each([
  'And make comment easy to understand, no big words, no giddy words - keep it professional but friendly.',
  'Keep your answers short.',
  'No bullet points, please.',
  'Please make comments in a table format on good things and things that were missed.',
])('how what is written is to be: %s', (text) => {
  expect(constraintsOf(text)).toHaveLength(1);
});

test.each([
  'Sag mir immer, was du geändert hast.',
  'Vertel me altijd wat er was veranderd.',
  'From now on, everything that was red before goes into the changelog.',
  'Keep functions small so that they never exceed 50 lines.',
  'Releases: they always need two approvals.',
  "Here's my preference for commits in this project: small ones.",
  'The changelog gets an entry for each change in future.',
])('what holds for good, though it has words of what is told: %s', (rule) => {
  expect(standingOf(rule)).toEqual([rule]);
});

test.each([
  'Everything that was hard-coded needs to come from the config.',
  'The customer told us that prices have to include VAT.',
  'Buttons must have rounded corners.',
  'The table should have fixed widths.',
  'Modules must have named exports.',
])('what has to be, though it has words of what was: %s', (text) => {
  expect(constraintsOf(text)).toHaveLength(1);
});

test.each([
  'No comments yet on the PR.',
  'We have tests, but no code coverage.',
  'No tables in the database yet.',
  'Put the user in the table.',
  'Make the rows in the table sortable.',
])('what is not there yet, and a place, say not how something is to be written: %s', (text) => {
  expect(constraintsOf(text)).toEqual([]);
});

test('signs in quotes begin no speech', () => {
  const text = 'Separate fields by "," and lines by ";". Always quote text. Never use "|".';
  expect(standingOf(text)).toEqual(['Always quote text.', 'Never use "|".']);
});

test('of a long page that somebody has pasted what is said around it comes first', () => {
  const page = Array.from({ length: 60 }, (_, n) => `Each page must have a footer of kind ${n}.`);
  const own = 'The comments need to be friendly, without big words, please.';
  const told = constraintsOf(`Here is the report. Use a table.\n${page.join('\n')}\n${own}`);
  expect(told.map(({ text }) => text)).toEqual(expect.arrayContaining(['Use a table.', own]));
  expect(told).toHaveLength(12);
});

test('an order not to do something always is one', () => {
  expect(constraintsOf("Don't always ask before you run the tests.")).toHaveLength(1);
});

describe('later instructions', () => {
  test('take the place of those about the same', () => {
    const [old, now] = constraintsOf(
      'Always format dates as year, month and day in every report.',
      'Always format dates as day, month and year in every report.',
    );
    expect(old).toMatchObject({ seq: 1, superseded_by: 2 });
    expect(now).toMatchObject({ seq: 2, last_seq: 2 });
    expect(now).not.toHaveProperty('superseded_by');
  });

  test('of the same words are one, said last then', () => {
    const words = 'Always format dates as year, month and day.';
    expect(constraintsOf(words, 'Go on with the next page.', words)).toEqual([
      { seq: 1, last_seq: 3, text: words, by: 'user', is_standing: true },
    ]);
  });

  test('about something else leave them alone', () => {
    const found = constraintsOf(
      'Always format dates as year, month and day.',
      'Never commit files of the build folder.',
    );
    expect(found.map(({ superseded_by }) => superseded_by)).toEqual([undefined, undefined]);
  });

  test('of the user do not replace those of the project', () => {
    const found = ledgerOf([
      said('system', '# AGENTS.md instructions for /w\n\nAlways use tabs in every source file.'),
      asks('Always use tabs in every source file.'),
    ]).constraints;
    expect(found.map(({ by, superseded_by }) => [by, superseded_by])).toEqual([
      ['project_instructions', undefined],
      ['user', undefined],
    ]);
  });
});

describe("the project's instructions", () => {
  const RULES =
    '- Always run the linter before a commit.\n- The code lives in src.\n- Files must be short.';

  test.each<[string, string, 'user' | 'system']>([
    [
      'AGENTS.md as Codex hands it over',
      `# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\n${RULES}\n</INSTRUCTIONS>`,
      'user',
    ],
    ['instructions in their tag', `<user_instructions>\n${RULES}\n</user_instructions>`, 'user'],
  ])('%s are named as such, and only what holds for good', (_, text, role) => {
    const { constraints, requests } = ledgerOf([said(role, text)]);
    expect(constraints.map(({ text, by }) => [by, text])).toEqual([
      ['project_instructions', 'Always run the linter before a commit.'],
    ]);
    expect(requests).toEqual([]);
  });

  test('a system message of whoever runs the agent holds as a whole', () => {
    const { constraints } = ledgerOf([said('system', RULES), said('system', `${RULES} Go.`)]);
    expect(constraints.map(({ text, superseded_by }) => [text, superseded_by])).toEqual([
      [
        '- Always run the linter before a commit. - The code lives in src. - Files must be short.',
        undefined,
      ],
      [
        '- Always run the linter before a commit. - The code lives in src. - Files must be short. Go.',
        undefined,
      ],
    ]);
  });

  test('what Claude Code tells of itself anew with each turn is none', () => {
    const style =
      'Explanatory output style is active. Remember to follow the specific guidelines for this style.';
    const turn = (left: number) =>
      said('system', `<total_tokens>${left} tokens left</total_tokens>\n\n${style}`);
    expect(ledgerOf([turn(300), turn(200)]).constraints).toEqual([]);
  });

  test('in CLAUDE.md, which Claude Code hands over in a reminder', () => {
    const reminder = `<system-reminder>\nAs you answer the user's questions, you can use the following context:\n# claudeMd\nCodebase and user instructions are shown below.\n\nContents of /w/CLAUDE.md (project instructions, checked into the codebase):\n\n${RULES}\n</system-reminder>`;
    expect(ledgerOf([said('user', reminder)]).constraints).toMatchObject([
      { by: 'project_instructions', text: 'Always run the linter before a commit.' },
    ]);
  });
});

test('of one message at most twelve are taken, those for good before the others', () => {
  const lines = Array.from(
    { length: 30 },
    (_, place) => `Rule ${place} must hold for module${place}.`,
  );
  const found = constraintsOf(`${lines.join('\n')}\nNever work on a Sunday, please.`);
  expect(found).toHaveLength(12);
  expect(found.at(-1)).toMatchObject({
    text: 'Never work on a Sunday, please.',
    is_standing: true,
  });
});

describe('what the user takes back', () => {
  test.each([
    ['Never use npm.', 'You can use npm now after all.'],
    ['Never use npm.', 'OK, you may use npm again.'],
    ["Don't ever push to main.", "It's fine to push to main now."],
    ['Never use tabs in this file.', 'Never mind the rule about tabs.'],
    ['Always add a line to the changelog.', 'Please forget what I said about the changelog.'],
    [
      'Always add a line to the changelog.',
      'Disregard my earlier instruction about the changelog.',
    ],
    ['Always run the linter.', 'You no longer need to run the linter.'],
    ['Always run the linter.', "You don't have to run the linter any more."],
    ['Benutze niemals npm.', 'Du darfst npm jetzt doch benutzen.'],
    ['Benutze niemals npm.', 'Vergiss die Regel zu npm.'],
    ['Never use lodash.', 'Never mind the lodash rule.'],
  ])('is withdrawn, and both are told: %s %s', (rule, words) => {
    expect(constraintsOf(rule, 'Go on.', words)).toEqual([
      {
        ...{ seq: 1, last_seq: 1, text: rule, by: 'user', is_standing: true },
        ...{ superseded_by: 3, is_withdrawn: true },
      },
      { seq: 3, last_seq: 3, text: words, by: 'user', is_standing: true },
    ]);
  });

  test.each([
    // It says more than what is taken back.
    ['Never use npm, always use pnpm.', 'You can use npm now after all.'],
    ['Never run npm publish.', 'You can use npm now after all.'],
    // It may be about another one.
    ['Always use npm.', 'You can use npm now after all.'],
    ['Never run the linter.', 'You no longer need to run the linter.'],
    ['Never edit config.yaml.', 'You may edit it now.'],
    // It may be done after all, or left alone.
    ['Never use lodash.', 'Forget about lodash.'],
    ['Always write tests.', 'ok, never mind the tests'],
    ['Schreib immer Tests.', 'Vergiss die Tests'],
    ['Escribe siempre pruebas.', 'Olvida las pruebas'],
  ])('stays where that is not certain, beside what was said: %s %s', (rule, words) => {
    expect(constraintsOf(rule, words).map((one) => [one.text, one.superseded_by])).toEqual([
      [rule, undefined],
      [words, undefined],
    ]);
  });

  test('stays where it may be one of several', () => {
    const found = constraintsOf(
      'Never use tabs in Python files.',
      'Always show tabs of the browser in screenshots.',
      'Never mind the rule about tabs.',
    );
    expect(found.map(({ superseded_by }) => superseded_by)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test.each([
    'You can use npm now if the lock file is there.',
    'You can use npm now, but only today.',
    'Can you use npm now?',
    "Don't forget what I said about npm.",
    'Never ignore the rule about npm.',
    'You can not use npm now.',
    'I wonder whether you can use npm now.',
    'You can use yarn now.',
    'Tell me what you no longer need to do.',
  ])('nothing is: %s', (words) => {
    expect(constraintsOf('Never use npm.', words)[0]).not.toHaveProperty('superseded_by');
  });

  test('is no instruction of its own where nothing was said about it', () => {
    expect(constraintsOf('You can use npm now after all.')).toEqual([]);
  });

  test('instructions of the project are not', () => {
    const found = ledgerOf([
      said('system', '# AGENTS.md instructions for /w\n\nNever use npm.'),
      asks('You can use npm now after all.'),
    ]).constraints;
    expect(found.map(({ superseded_by }) => superseded_by)).toEqual([undefined]);
  });

  test('is told in the summary with both items', () => {
    const covered = ledgerOf(['Never use npm.', 'You can use npm now after all.'].map(asks));
    const lines = constraintTellings({ covered, standing: covered, verbatim: [] })[0]?.() ?? [];
    expect(lines.map(({ text }) => text)).toEqual([
      'User, withdrawn in item 2 (said in item 1): Never use npm.',
      'User, standing instruction: You can use npm now after all.',
    ]);
    const facts = factsOf(covered).filter(({ kind }) => kind === 'constraint');
    expect(facts.map(({ state, text }) => [state, text])).toEqual([
      ['superseded', 'Never use npm. (withdrawn in item 2)'],
      ['current', 'You can use npm now after all.'],
    ]);
  });
});

describe('what changes what was said before', () => {
  const told = (...texts: string[]) => {
    const covered = ledgerOf(texts.map(asks));
    const lines = constraintTellings({ covered, standing: covered, verbatim: [] })[1]?.() ?? [];
    return lines.map(({ text }) => text);
  };

  test.each([
    ['Always answer in German.', 'From now on answer in English.'],
    ['Always deploy to staging first.', 'From now on, deploy to production first.'],
    ['Never edit config.yaml.', 'You may edit it now.'],
    ['Never use npm, always use pnpm.', 'Use npm from now on.'],
    ['Antworte immer auf Deutsch.', 'Ab jetzt antworte auf Englisch.'],
    ['Responde siempre en español.', 'A partir de ahora responde en inglés.'],
    ['Réponds toujours en français.', 'Désormais, réponds en anglais.'],
    ['以后都用中文回答', '以后用英文回答'],
  ])('says that it is newer: %s %s', (before, now) => {
    expect(told(before, now)).toEqual([
      `User, standing instruction: ${before}`,
      `User, standing instruction (newer than “${before}”, holds where they differ): ${now}`,
    ]);
  });

  test('of the task at hand too', () => {
    expect(
      told('Build it.', 'Use single quotes everywhere.', 'Use double quotes, not single.'),
    ).toContain(
      'User, required of a task (newer than “Use single quotes everywhere.”, holds where they differ): Use double quotes, not single.',
    );
  });

  test.each([
    ['Always use tabs in src/a.ts.', 'Always use tabs in src/b.ts.'],
    ['Always answer in German.', 'From now on never push to main.'],
    ['Never commit on Fridays.', 'Always name the ticket in the title.'],
    ['Always use the SORT tracker.', 'Never drop the SORT tracker for now.'],
  ])('nothing else does: %s %s', (before, now) => {
    expect(told(before, now)).toEqual([
      `User, standing instruction: ${before}`,
      `User, standing instruction: ${now}`,
    ]);
  });

  test('nothing of the same message does', () => {
    const text = 'Always compose the parts of the kit. Never replace the parts now.';
    expect(told(text).join()).not.toContain('newer');
  });

  test('stands last when it is said again', () => {
    const [german, english] = ['Always answer in German.', 'From now on answer in English.'];
    expect(constraintsOf(german, english, german).map(({ text }) => text)).toEqual([
      english,
      german,
    ]);
  });
});

test('a rule for one thing does not replace the same for another', () => {
  const found = constraintsOf(
    'Never touch the config folder of the frontend.',
    'Never touch the config folder of the backend.',
  );
  expect(found.map(({ superseded_by }) => superseded_by)).toEqual([undefined, undefined]);
});

describe('sentences that an editor has broken into lines', () => {
  const spec = [
    'Aim to stay close to the existing design, which need not be matched to the pixel, but it',
    'should clearly resemble the original one. If you run short, cut the scope. Please do not polish',
    'endlessly.',
    'Never add a dependency without asking.',
  ].join('\n');

  test('are told whole', () => {
    expect(constraintsOf(spec).map(({ text }) => text)).toEqual([
      'Aim to stay close to the existing design, which need not be matched to the pixel, but it should clearly resemble the original one.',
      'Please do not polish endlessly.',
      'Never add a dependency without asking.',
    ]);
  });

  test('are not cut by a tag that they name', () => {
    const task =
      '<issue>\nIt fails.\n</issue>\nMake sure that the <issue> is never met by a workaround.';
    expect(constraintsOf(task).map(({ text }) => text)).toEqual([
      'Make sure that the <issue> is never met by a workaround.',
    ]);
  });

  test('are not put together where whoever writes ends short lines', () => {
    const text =
      'look at the parser of\nthe loader\nadd tests for the parser\nuse pnpm and never npm';
    expect(constraintsOf(text).map((one) => one.text)).toEqual(['use pnpm and never npm']);
    const asked = 'what is it for\nuse tabs and never spaces\nthank you';
    expect(constraintsOf(asked).map((one) => one.text)).toEqual(['use tabs and never spaces']);
  });

  test.each([
    [
      'where none ends so',
      'Refactor the module. Make sure that you never\ntouch the vendor folder, even when the build\nfails because of it.',
      'Make sure that you never touch the vendor folder, even when the build fails because of it.',
    ],
    [
      'in a mail that is quoted',
      'She wrote:\n> Please make sure that you never\n> touch the vendor folder.',
      'Please make sure that you never touch the vendor folder.',
    ],
    [
      'in a list',
      '1. Always run the tests\n   before you commit.\n2. Use tabs',
      'Always run the tests before you commit.',
    ],
  ])('are told whole, however short its lines are, %s', (_, text, rule) => {
    expect(constraintsOf(text).map((one) => one.text)).toEqual([rule]);
  });

  test.each([
    ['lines of their own', 'never push to main\nalways run the linter\ndo not touch vendor'],
    [
      'long lines that each say something',
      'never commit anything below the folder of what was built\nalways run the tests with coverage before you push to the main branch\ndo not use tabs anywhere',
    ],
  ])('but not %s', (_, text) => {
    expect(constraintsOf(text).map((one) => one.text)).toEqual(text.split('\n'));
  });
});

test.each([
  'Não altere nenhum arquivo do repositório.',
  'Trabalhe somente como revisor nesta etapa.',
  'No modifiques los archivos de la carpeta.',
])('what has to be so in Portuguese and Spanish: %s', (text) => {
  expect(constraintsOf(text)).toMatchObject([{ text, is_standing: false }]);
});

describe('what a list below a heading forbids', () => {
  test.each([
    [
      'Portuguese',
      'Trabalhe como revisor.\n\nVocê não pode, sem minha autorização:\n\n* criar ou excluir arquivos;\n* aplicar patches;\n* fazer commits.\n\nDepois, revise.',
      'Você não pode, sem minha autorização: criar ou excluir arquivos; aplicar patches; fazer commits',
    ],
    [
      'English',
      'You are to review. **You must not:**\n- push to main\n- edit `vendor/`\n\nThanks',
      'You must not: push to main; edit `vendor/`',
    ],
    [
      'Chinese',
      '不要做以下事情：\n1. 修改数据库\n2. 提交代码',
      '不要做以下事情： 修改数据库; 提交代码',
    ],
    [
      'German',
      'Bitte nicht ohne Rückfrage:\n- Dateien löschen',
      'Bitte nicht ohne Rückfrage: Dateien löschen',
    ],
  ])('%s', (_, text, rule) => {
    expect(constraintsOf(text).map((one) => one.text)).toContain(rule);
  });

  // Alone, these items would say the opposite of what is wanted.
  test.each([
    [
      'what is not accepted',
      'Any of the following will result in automatic rejection:\n- README contains credentials that do not match the running application.\n- Mock data instead of real validation.',
      [
        'Any of the following will result in automatic rejection: README contains credentials that do not match the running application.',
        'Any of the following will result in automatic rejection: Mock data instead of real validation.',
      ],
    ],
    [
      'what is not accepted, said otherwise',
      'Each of these is an instant fail:\n- tests that only run locally',
      ['Each of these is an instant fail: tests that only run locally'],
    ],
    [
      'what is not to be done',
      '- Do not:\n  - rely only on UI changes\n  - never check in `dist`',
      ['- Do not: rely only on UI changes', 'never check in `dist`'],
    ],
  ])('%s: each item with its heading', (_, text, rules) => {
    const told = constraintsOf(text).map((one) => one.text);
    expect(told).toEqual(expect.arrayContaining(rules));
    expect(told.some((rule) => /^(?:README|Mock|tests|rely)/.test(rule))).toBe(false);
  });

  test.each([
    ['If any of these tests fail:\n- only rerun them', 'only rerun them'],
    ['Do not forget:\n- the port must be 8080', 'the port must be 8080'],
    ['All of these must pass:\n- only the unit tests', 'only the unit tests'],
  ])('an item that is wanted stands by itself: %j', (text, rule) => {
    expect(constraintsOf(text).map((one) => one.text)).toContain(rule);
  });

  test('is told once, and as much of it as of other rules', () => {
    const items = Array.from({ length: 40 }, (_, at) => `- touch part ${at} of the old system`);
    const [only, ...others] = constraintsOf(
      `Without my explicit word in this conversation and in writing you must not:\n${items.join('\n')}`,
    );
    expect(others).toEqual([]);
    expect(only?.text).toHaveLength(200);
  });

  test.each([
    'The following tests do not pass:\n- adds\n- divides',
    'Data the current system does NOT have:\n- Time waiting for AI\n- Full prompt text',
    'What the API does NOT yet support:\n- Sorting',
    'Files:\n- a.ts\n- b.ts',
    'What must not happen:',
    'Why must it not:\n- be empty?',
  ])('and none: %s', (text) => {
    expect(constraintsOf(text).filter((one) => one.text.includes(': '))).toEqual([]);
  });
});

describe('what needs the word of the user holds for good', () => {
  test.each([
    ['English', 'Do not commit anything without asking me.'],
    ['English', 'Never deploy without my explicit approval.'],
    ['English', "Please don't touch the schema unless I say so."],
    ['German', 'Bitte nichts löschen, und nicht ohne Rückfrage pushen.'],
    ['Portuguese', 'Não aplique patches sem minha autorização.'],
    ['Portuguese', 'Você não pode criar arquivos sem minha autorização.'],
    ['Spanish', 'No borres archivos sin mi permiso.'],
    ['French', 'Ne pousse rien sans mon accord.'],
    ['Russian', 'Не удаляй файлы без моего разрешения.'],
    ['Chinese', '未经我同意，不要修改数据库。'],
    ['English, to be asked', 'Ask me before you commit.'],
    ['English, to be asked', 'phase 1 - ask me to allow it before you perform it'],
    ['English, to be asked', 'Please check with me before pushing.'],
    ['English, to be asked', 'Do phase 2, but ask me first.'],
    ['English, to be asked', 'Ask before deleting anything.'],
    ['English, to be asked', 'Get my approval before you merge.'],
    ['English, to be asked', 'Let me review the plan before you start.'],
    ['German, to be asked', 'Frag mich, bevor du etwas löschst.'],
    ['Spanish, to be asked', 'Pregúntame antes de borrar archivos.'],
    ['Portuguese, to be asked', 'Me pergunte antes de criar arquivos.'],
    ['French, to be asked', 'Demande-moi avant de pousser.'],
    ['Russian, to be asked', 'Спроси меня перед коммитом.'],
    ['Chinese, to be asked', '修改之前先问我。'],
    ['Japanese, to be asked', '実行する前に私に確認して。'],
    ['Korean, to be asked', '커밋하기 전에 나한테 물어봐.'],
  ])('%s: %s', (_, text) => expect(standingOf(text)).toEqual([text]));

  test('with the list that it is said of', () =>
    expect(standingOf('Without my approval you must not:\n- deploy\n- migrate')).toEqual([
      'Without my approval you must not: deploy; migrate',
    ]));

  test.each([
    'You deleted the table without asking me, that was not nice.',
    'Can it not run without my confirmation?',
    'The job runs without my approval.',
    "You didn't ask me before deleting the branch.",
    'Did you ask me before you pushed?',
    'why did you not ask me first',
    'so why didnt you ask me before you pushed',
    'Ask me the first question of the quiz.',
    'The dialog has to ask before closing the file.',
    'It asked me before, and I said yes.',
    'Ask the user for a name.',
    'Show me the log before the crash.',
    'Let me see what it was before the change.',
    'Frag die API ab, bevor die Seite lädt.',
    'Lo vi antes, pregunta a Ana.',
    '我先问一下价格。',
    '実行する前に設定を確認しました。',
  ])('and this does not: %s', (text) => expect(standingOf(text)).toEqual([]));
});

test('what stands in JSON that the user has pasted is no instruction', () => {
  const pasted = [
    'The report of today:',
    '[{"topics": ["<note>Caveat: DO NOT respond to these messages.</note> Always answer in French."]}]',
    '  "rule": "Never use tabs.",',
    'Always name the day.',
  ];
  expect(constraintsOf(pasted.join('\n')).map(({ text }) => text)).toEqual([
    'Always name the day.',
  ]);
});

test('what an error demands that the user has pasted is no instruction', () => {
  const pasted = [
    'Error: [bn] invalid number value. Value must be an integer.',
    'Uncaught (in promise) TypeError: The "path" argument must be of type string. Received undefined',
    'java.lang.IllegalStateException: The name is required. It must not be null.',
    'Do not round the amounts.',
  ];
  expect(constraintsOf(pasted.join('\n')).map(({ text }) => text)).toEqual([
    'Do not round the amounts.',
  ]);
});

test.each([
  ['Exception: never touch the files in legacy/.', 'Exception: never touch the files in legacy/.'],
  ['Exception: files in legacy/ must not be touched.', null],
  ['Error: must never show a stack trace to the user.', null],
  ['ValidationError: must always return 422, never 400.', null],
  [
    'TypeError: x is undefined. Do not change the public API while you fix it.',
    'Do not change the public API while you fix it.',
  ],
  ['Error: return an answer that says which fields are required.', null],
  ['Error: Value must be an integer. You must keep it an integer.', 'You must keep it an integer.'],
])('what the user demands behind the name of an error is one: %s', (text, kept) => {
  expect(constraintsOf(text).map((one) => one.text)).toEqual([kept ?? text]);
});

describe('output of programs that the user has pasted, in no fence', () => {
  test.each([
    "src/pages/ConfirmEditPage.tsx:9:1 - error TS6133: 'currentUser' is declared but its value is never read.",
    "src/pages/ConfirmEditPage.tsx(481,43): error TS6133: 'item' is declared but never used.",
    'src/main.rs:12:4: warning: function `load` is never used',
    'warning: fields `name` and `age` are never read',
    "  9:1  error  'total' is never reassigned. Use 'const' instead  prefer-const",
    '[nodemon] to restart at any time, enter `rs`',
    'cli.py: error: the following arguments are required: --universe, --output',
    '    at Object.require.extensions.<computed> [as .ts] (C:\\app\\node_modules\\ts-node\\src\\index.ts:1621:12)',
    '    at async must.always (file:///app/run.mjs:12:3)',
  ])('asks for nothing: %s', (line) => {
    expect(constraintsOf(`Why does it say this?\n${line}`)).toEqual([]);
  });

  test.each([
    'Warning: never touch the vendor folder.',
    'Make sure the old endpoint is never used.',
    'Credentials are never read from the environment.',
    'Important: `eval` is never used in this code base.',
    'In src/app.ts:12 never use a default export.',
    'error: must be lower case in all of our messages.',
  ])('is not what the user says of it: %s', (line) => {
    expect(constraintsOf(`Look.\n${line}`).map(({ text }) => text)).toEqual([line]);
  });
});

test.each([
  ['from now, NOTE that the .env file stays as it is', true],
  ['I talk to you in Japanese, so from now please answer in Japanese.', true],
  ['The token expires 1 hour from now in the example.', false],
  ['Where will we be two years from now with this stack', false],
])('from now, without "on": %s', (text, isStanding) => {
  expect(standingOf(text)).toEqual(isStanding ? [text] : []);
});
