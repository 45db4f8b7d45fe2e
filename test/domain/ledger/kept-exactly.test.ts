import { describe, expect, test } from 'vitest';
import type { Artifact } from '../../../src/domain/ledger/ledger.ts';
import { asks, ledgerOf, messageOf, tells, used } from '../../support/log-items.ts';

const exact = (text: string): string[] =>
  ledgerOf([tells(text)]).artifacts.map(({ kind, value }) => `${kind} ${value}`);

describe('what has to be exact', () => {
  test.each<[Artifact['kind'], string, string]>([
    ['url', 'It is at https://example.com/a/b?c=1#d, see there.', 'https://example.com/a/b?c=1#d'],
    ['url', 'Can you deploy to https://pelican.example.com?', 'https://pelican.example.com'],
    ['url', 'It is (https://example.com/a).', 'https://example.com/a'],
    ['url', 'Set "https://example.com/{id}/a".', 'https://example.com/{id}/a'],
    ['url', 'See https://doi.org/10.1/S0(99)0-X.', 'https://doi.org/10.1/S0(99)0-X'],
    ['url', '請看 https://example.com/a。然後繼續', 'https://example.com/a'],
    ['url', 'It is \\"https://example.com/a\\" there.', 'https://example.com/a'],
    [
      'commit',
      'It broke in 9fceb02d0ae598e95dc970b74767f19372d61af8.',
      '9fceb02d0ae598e95dc970b74767f19372d61af8',
    ],
    ['commit', 'Committed as 3af19c2 on main.', '3af19c2'],
    ['version', 'We pin it to v20.19.3 everywhere.', 'v20.19.3'],
    ['port', 'The service listens on port 8080 now.', '8080'],
    ['port', 'Open localhost:5173 in the browser.', '5173'],
    ['id', 'That is PROJ-1042 in the tracker.', 'PROJ-1042'],
    ['id', 'See #311 for the reason.', '#311'],
    ['number', 'It takes 250 ms per page.', '250 ms'],
    ['number', 'It went up by 12.5% in May.', '12.5%'],
    ['number', 'There were 1,200 users at once.', '1,200 users'],
  ])('%s: %s', (kind, text, value) => expect(exact(text)).toContain(`${kind} ${value}`));

  test.each([
    'I read it 3 times.',
    'The word deadbeef has no figure, and 1234567 no letter.',
    'See src/a1b2c3d/file.ts and the dir-1a2b3c4.',
    'Chapter 1.2 is short.',
  ])('nothing of the sort: %s', (text) => expect(exact(text)).toEqual([]));

  test('stands with the words around it, how often it was named, and where last', () => {
    const items = [
      asks('The page limit is 50 rows for now.'),
      tells('Port 8080 is taken.'),
      asks('Right, 50 rows it is.'),
    ];
    expect(ledgerOf(items).artifacts).toEqual([
      {
        seq: 2,
        last_seq: 2,
        kind: 'port',
        value: '8080',
        context: 'Port 8080 is taken.',
        times: 1,
      },
      {
        seq: 1,
        last_seq: 3,
        kind: 'number',
        value: '50 rows',
        context: 'The page limit is 50 rows for now.',
        times: 2,
      },
    ]);
  });

  test('of a long line, whole words about it, without the mark of a list', () => {
    const before = 'words '.repeat(20);
    const [one] = ledgerOf([
      asks(`- ${before}grow by 35% every yearly reporting period after that`),
    ]).artifacts;
    expect(one?.context).toMatch(/^… (?:words )+grow by 35% every yearly reporting …$/);
    const [short] = ledgerOf([asks('- **Size**: 35% of all')]).artifacts;
    expect(short?.context).toBe('**Size**: 35% of all');
  });

  test.each([
    [
      "… don't count a visit as lost as long as its `lastSeen` lies within the last 5-10 minutes.",
      "**Fix:** add a time of grace - don't count a visit as lost as long as its `lastSeen` lies within the last 5-10 minutes.",
    ],
    [
      '… nicht als verloren gelten, solange der letzte Aufruf in der Liste höchstens 10 minutes her ist.',
      'Ein Besuch in dieser Liste darf auch später nicht als verloren gelten, solange der letzte Aufruf in der Liste höchstens 10 minutes her ist.',
    ],
    [
      '… as lost as long as its `lastSeen` lies within the last 10 minutes.',
      'It is not known. We count, as the page of the shop says it, a visit as lost as long as its `lastSeen` lies within the last 10 minutes.',
    ],
  ])('and what turns them round: %s', (context, text) => {
    const [one] = ledgerOf([tells(text)]).artifacts;
    expect(one?.context).toBe(context);
  });

  test('also the one that the cut goes through', () => {
    const rest = 'mark visits as lost where the page was seen within last ';
    const [one] = ledgerOf([tells(`${'words '.repeat(20)}don't ${rest}10 minutes.`)]).artifacts;
    expect(one?.context).toBe(`… don't ${rest}10 minutes.`);
  });

  test('but not one of the sentence that ends at the cut', () => {
    const own = 'Use the newer one that the registry has for all of you now';
    const text = `${'words '.repeat(20)}and we do not want the older one. ${own} 3.1.4.`;
    const [one] = ledgerOf([tells(text)]).artifacts;
    expect(one?.context).toBe(`… ${own} 3.1.4.`);
  });

  test('of a line that begins a little before, what it is about', () => {
    const text =
      '1. **`model-a:8b`** — the best at calling tools of all that take no more than 4.7GB';
    expect(ledgerOf([tells(text)]).artifacts.at(-1)?.context).toBe(text.slice(3));
  });

  test('and no words of the next line', () => {
    const [one] = ledgerOf([asks('It fell by 35% so far.\n\n## What now\nGo on.')]).artifacts;
    expect(one?.context).toBe('It fell by 35% so far.');
  });

  test.each([
    ['So close: 89.8%.', 'The run is done. So close: 89.8%. Let me remove what is left of it.'],
    ['缓存命中率是 92%。', '先看结果。缓存命中率是 92%。接下来我们继续。'],
    ['It took 3.5 seconds, v. 1 took 9 seconds', 'It took 3.5 seconds, v. 1 took 9 seconds'],
  ])('and no other sentence: %s', (context, text) => {
    const [one] = ledgerOf([tells(text)]).artifacts;
    expect(one?.context).toBe(context);
  });

  test('of orders, parcels and prices, as in the work of a shop', () => {
    const text =
      'Order #W5362037 with parcel 588172446488 costs $1,466.75, of that €72 by PS-84201; a count is 12345678 and $1 a field.';
    expect(ledgerOf([tells(text)]).artifacts.map(({ value }) => value)).toEqual([
      '#W5362037',
      '588172446488',
      'PS-84201',
      '$1,466.75',
      '€72',
    ]);
  });

  test('is not taken from what tools return', () => {
    const page = 'see https://example.com/a and port 8080';
    expect(ledgerOf(used('Bash', { command: 'cat a' }, page)).artifacts).toEqual([]);
  });
});

describe('names', () => {
  const namesOf = (...items: Parameters<typeof ledgerOf>[0][]) =>
    ledgerOf(items.flat()).names.map(({ name }) => name);

  test('what the assistant writes weighs more than what the user says, and that more than a page', () => {
    expect(
      namesOf([asks('Look at userName.')], used('Bash', { command: 'ls' }, 'toolName'), [
        tells('I take ownName.'),
      ]),
    ).toEqual(['ownName', 'userName', 'toolName']);
  });

  test('and what was mentioned lately more than what was long ago', () => {
    const quiet = Array.from({ length: 200 }, () => asks('go on'));
    expect(
      namesOf([tells('I take oldName and oldName.')], quiet, [tells('I take newName.')]),
    ).toEqual(['newName', 'oldName']);
  });

  test('the path of a file and its name are one, written at the fullest', () => {
    expect(namesOf([tells('See client.ts.'), tells('See src/api/client.ts.')])).toEqual([
      'src/api/client.ts',
    ]);
  });

  test('stand with the file in whose content they were met', () => {
    const items = used('Read', { file_path: '/w/src/a.ts' }, '     1→export const loadConfig = 1;');
    expect(ledgerOf(items).names.find(({ name }) => name === 'loadConfig')).toMatchObject({
      file: 'src/a.ts',
    });
  });

  test('are none of what the fields of data are called that a tool answers with', () => {
    const data = '{"user_id": "sofia_kim_7287", "total_baggages": 1, "passengers": []}';
    expect(namesOf(used('get_reservation', {}, data))).toEqual(['sofia_kim_7287']);
    expect(namesOf(used('get_reservation', {}, `[${data}]`))).toEqual(['sofia_kim_7287']);
    expect(namesOf(used('Bash', { command: 'make' }, `Sent ${data}`))).toContain('total_baggages');
  });

  test('of a call without a result are known as well', () => {
    expect(namesOf(used('Bash', { command: 'grep loadConfig src/a.ts' }, null))).toEqual(
      expect.arrayContaining(['loadConfig', 'src/a.ts']),
    );
  });
});

describe('calls without a result', () => {
  test('are open until one comes', () => {
    expect(ledgerOf(used('Bash', { command: 'sleep 60' }, null)).open_calls).toMatchObject([
      { seq: 1, last_seq: 1, tool: 'Bash', subject: 'sleep 60', called_at: 1 },
    ]);
    expect(ledgerOf(used('Bash', { command: 'sleep 60' }, '')).open_calls).toEqual([]);
  });

  test('are so no longer when their id is used again and answered', () => {
    const [open, ...answer] = used('Bash', { command: 'sleep 60' }, '');
    if (open === undefined) throw new Error('no call');
    const before = ledgerOf([open]);
    expect(before.open_calls).toHaveLength(1);
    expect(ledgerOf([open, ...answer], before).open_calls).toEqual([]);
  });

  test('count as calls of their tool', () => {
    const ledger = ledgerOf(used('Bash', { command: 'sleep 60' }, null));
    expect(ledger.calls).toBe(1);
    expect(ledger.tools).toMatchObject([{ name: 'Bash', calls: 1 }]);
  });

  test('of several at once those that have none', () => {
    const call = (id: string, command: string) =>
      ({ kind: 'tool_call', id, name: 'Bash', input: { command }, source: {} }) as const;
    const result = {
      kind: 'tool_result',
      call_id: 'two',
      content: [{ kind: 'text', text: 'ok' }],
      is_error: false,
    } as const;
    const items = [
      messageOf('assistant', [call('one', 'sleep 1'), call('two', 'sleep 2')]),
      messageOf('user', [{ ...result, content: [...result.content] }]),
    ];
    expect(ledgerOf(items).open_calls.map(({ subject }) => subject)).toEqual(['sleep 1']);
  });
});
