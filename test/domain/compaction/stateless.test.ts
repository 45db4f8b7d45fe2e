import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarizeExtractively } from '../../../src/domain/compaction/extractive/summarize.ts';
import type { Summary } from '../../../src/domain/compaction/finish-full.ts';
import {
  expandInput,
  finishStateless,
  planStateless,
  type StatelessInput,
  type StatelessPlan,
  type StatelessResult,
  statelessConfig,
} from '../../../src/domain/compaction/stateless.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { openaiResponsesCodec as codec } from '../../../src/domain/items/openai-responses/codec.ts';
import { EMPTY_LEDGER, type Ledger } from '../../../src/domain/ledger/ledger.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { estimator } from '../../../src/domain/tokens/count.ts';
import { historyArbitrary } from '../../support/generators.ts';
import { ofTokens } from '../../support/items.ts';
import { ledgerOf } from '../../support/log-items.ts';

const user = (text: string): Item => ({ role: 'user', content: text });
const said = (text: string): Item => codec.message('assistant', text);
const developer = (text: string): Item => ({ role: 'developer', content: text });
const call = (id: string): Item => ({
  type: 'function_call',
  call_id: id,
  name: 'read_file',
  arguments: '{}',
});
const output = (id: string, text: string): Item => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
});
const FOREIGN: Item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA' };
const OURS: Item = { type: 'compaction', id: 'cmp_2', encrypted_content: 'pal1.x' };

function summaryOf(text: string): Summary {
  return {
    text: `<summary>${text}</summary>`,
    summarizer: 'model',
    model: 'm-1',
    template: 'nine-sections@1',
    usage: { input: 10, output: 5, cache_read: 2, cache_creation: 0 },
    left_out: { cleared_results: 0, truncated_results: 0, dropped_items: 0 },
    truncated_turns: 0,
    summarizer_ms: 30,
  };
}

function asInput(items: readonly Item[]): StatelessInput[] {
  return items.map((item) => ({ kind: 'item', item }));
}

function plan(input: readonly StatelessInput[], server: ConfigOverrides = {}, window = 200_000) {
  const config = statelessConfig(server, window);
  return planStateless(expandInput(input), config, estimator(config));
}

function planned(...args: Parameters<typeof plan>): StatelessPlan {
  const found = plan(...args);
  if (found === null) throw new Error('there is nothing to compact');
  return found;
}

function compacted(input: readonly StatelessInput[], text = 'SUMMARY'): StatelessResult {
  const found = planned(input);
  return finishStateless(found, found.full === null ? null : summaryOf(text));
}

/** The output as a client gets it, and as it stands in the input of the next request. */
function answered({ content, tail, ledger }: StatelessResult): {
  rendered: Item[];
  next: StatelessInput[];
} {
  const rendered = codec.render([OURS, ...tail]);
  const next = rendered.map(
    (item): StatelessInput =>
      item === OURS || item.encrypted_content === OURS.encrypted_content
        ? { kind: 'content', items: content, ledger }
        : { kind: 'item', item },
  );
  return { rendered, next };
}

const LONG: Item[] = [
  developer('Be brief.'),
  user('First question.'),
  call('a'),
  output('a', ofTokens(3_000)),
  said('First answer.'),
  user('Second question.'),
  said(ofTokens(500)),
];

const textsOf = (items: readonly Item[]) => items.map(({ content }) => content);

describe('statelessConfig', () => {
  it('is codex-v2, with nothing protected and nothing restored', () => {
    expect(statelessConfig({ protected_messages: 5, restore_max_files: 9 }, 200_000)).toMatchObject(
      {
        preserve_user_messages: true,
        user_message_max_tokens: 20_000,
        summary_max_tokens: 20_000,
        protected_messages: null,
        protected_tokens: null,
        restore_max_files: 0,
      },
    );
  });

  it('leaves small windows room, and the operator the last word on what is left', () => {
    expect(statelessConfig({}, 16_000)).toMatchObject({
      user_message_max_tokens: 4_000,
      summary_max_tokens: 4_000,
    });
    expect(statelessConfig({ user_message_max_tokens: 7 }, 16_000).user_message_max_tokens).toBe(7);
    expect(statelessConfig({ enabled: false }, 16_000).enabled).toBe(false);
  });
});

describe('a compaction without a session', () => {
  it('the item stands for user messages, the instructions and the summary', () => {
    const { content, tail } = compacted(asInput(LONG));
    expect(content.slice(0, 3)).toEqual([
      developer('Be brief.'),
      user('First question.'),
      user('Second question.'),
    ]);
    expect(content).toHaveLength(4);
    expect(content[3]).toMatchObject({ role: 'user', is_compact_summary: true });
    expect(JSON.stringify(content[3])).toContain('Summary:\\nSUMMARY');
    expect(tail).toEqual([]);
  });

  it('leaves calls that are open after the item', () => {
    const { tail, content } = compacted(asInput([...LONG, call('b'), call('c')]));
    expect(tail).toEqual([call('b'), call('c')]);
    expect(JSON.stringify(content)).not.toContain('"call_id"');
    expect(codec.violations([OURS, ...tail])).toEqual([]);
  });

  it('keeps the newest user messages within their budget, the one that crosses it cut', () => {
    const preserved = planned(
      asInput([user(`old ${ofTokens(300)}`), user(ofTokens(100)), said(ofTokens(900))]),
      { user_message_max_tokens: 150 },
    ).full?.preserved;
    expect(preserved).toHaveLength(2);
    expect(preserved?.[1]?.item).toEqual(user(ofTokens(100)));
    expect(JSON.stringify(preserved?.[0]?.item)).toMatch(/old abc .*tokens left out/);
    expect(preserved?.[0]?.tokens).toBeLessThanOrEqual(50);
  });

  it.each<[string, Item[]]>([
    ['no items', []],
    ['nothing but an open call', [call('a')]],
    ['nothing but compaction items of others', [FOREIGN, FOREIGN]],
  ])('has nothing to do with %s', (_, items) => {
    expect(plan(asInput(items))).toBeNull();
  });

  it.each<[string, Item[]]>([
    ['a short conversation', [user('Hello'), said('Hello!'), user('How are you?')]],
    ['user messages alone, however long', [user(ofTokens(5_000)), user(ofTokens(5_000))]],
    ['instructions alone', [developer(ofTokens(500))]],
  ])('carries %s as it is, without a summary', (_, items) => {
    expect(planned(asInput(items)).full).toBeNull();
    const { content } = compacted(asInput(items));
    expect(content).toEqual(items);
  });

  it('carries the conversation as it is when the summary came out longer', () => {
    const found = planned(asInput(LONG));
    const { content } = finishStateless(found, summaryOf(ofTokens(4_000)));
    expect(content).toEqual(LONG);
  });
});

describe('compaction items of other services', () => {
  it('stay as they are, in the content', () => {
    const { content } = compacted(asInput([LONG[0] ?? {}, FOREIGN, ...LONG.slice(1)]));
    expect(content[0]).toEqual(FOREIGN);
    expect(content.filter(({ type }) => type === 'compaction')).toHaveLength(1);
  });

  it('are not shown to a summariser', () => {
    const { full } = planned(asInput([FOREIGN, ...LONG]));
    expect(JSON.stringify(full?.conversation)).not.toContain('gAAAA');
  });
});

describe('what comes back in the input', () => {
  const first = compacted(asInput(LONG), 'ONE');
  const more = [user('Third question.'), said(ofTokens(800))];

  it('is expanded in its place, with nothing doubled', () => {
    const { next } = answered(first);
    expect(expandInput([...next, ...asInput(more)]).items).toEqual([...first.content, ...more]);
  });

  it('is enough by itself, for clients that keep the item only', () => {
    const alone: StatelessInput[] = [{ kind: 'content', items: first.content }];
    expect(expandInput([...alone, ...asInput(more)]).items).toEqual([...first.content, ...more]);
  });

  it('is recognised with fields left out, added or in another order', () => {
    const beside: Item[] = [
      { content: [{ text: 'First question.', type: 'input_text' }], type: 'message', role: 'user' },
      { status: 'completed', id: 'msg_1', ...user('Second question.') },
    ];
    const { items } = expandInput([...asInput(beside), { kind: 'content', items: first.content }]);
    expect(items).toEqual(first.content);
  });

  it('is not doubled by messages with something between them', () => {
    const apart = expandInput([
      ...asInput([user('First question.'), said('Something else.')]),
      { kind: 'content', items: first.content },
    ]);
    expect(apart.items).toEqual([said('Something else.'), ...first.content]);
  });

  it('gives way where the client sends its own instructions and notes', () => {
    const note = (cwd: string) =>
      user(`<environment_context>\n  <cwd>${cwd}</cwd>\n</environment_context>`);
    const content = compacted(asInput([developer('Old.'), note('/a'), ...LONG.slice(1)])).content;
    const { items } = expandInput([
      ...asInput([developer('New.'), note('/b'), user('Second question.')]),
      { kind: 'content', items: content },
      { kind: 'item', item: developer('A word in between.') },
    ]);
    expect(items).toEqual([
      developer('New.'),
      note('/b'),
      ...content.slice(2),
      developer('A word in between.'),
    ]);
  });

  it('gives way block by block where the client sends several in one message', () => {
    const skills = '<skills_instructions>\n## Skills\n</skills_instructions>';
    const permissions = '<permissions instructions>\nNever ask.\n</permissions instructions>';
    const both: Item = {
      ...developer(''),
      content: [skills, permissions].map((text) => ({ type: 'input_text', text })),
    };
    const content = [developer(permissions), user('First question.')];
    const { items } = expandInput([...asInput([both]), { kind: 'content', items: content }]);
    expect(items).toEqual([both, user('First question.')]);
  });

  it('keeps its instructions where the client sends none in front of it', () => {
    const later = developer('A word in between.');
    const { items } = expandInput([
      { kind: 'content', items: first.content },
      { kind: 'item', item: later },
    ]);
    expect(items).toEqual([...first.content, later]);
  });

  it('of two items in one input, nothing stands twice', () => {
    const second = compacted([...answered(first).next, ...asInput(more)], 'TWO');
    const { items } = expandInput([
      { kind: 'content', items: first.content },
      ...asInput(more),
      { kind: 'content', items: second.content },
    ]);
    const texts = textsOf(items).map((text) => JSON.stringify(text));
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('is part of what the next summary is made from, and goes on to preserve user messages', () => {
    const input = [...answered(first).next, ...asInput(more)];
    expect(JSON.stringify(planned(input).full?.conversation)).toContain('Summary:\\nONE');
    const second = compacted(input, 'TWO');
    expect(second.content.slice(0, 4)).toEqual([
      developer('Be brief.'),
      user('First question.'),
      user('Second question.'),
      user('Third question.'),
    ]);
    expect(JSON.stringify(second.content)).toContain('TWO');
    expect(JSON.stringify(second.content)).not.toContain('ONE');
  });

  it('is not summarised again while nothing is new', () => {
    const { next } = answered(first);
    for (const input of [next, next.slice(-1)]) {
      expect(planned(input).full).toBeNull();
      expect(finishStateless(planned(input), null).content).toEqual(first.content);
    }
  });
});

describe('whatever the history', () => {
  it('answers valid items that stand for the same conversation when they come back', () => {
    fc.assert(
      fc.property(historyArbitrary('openai-responses'), fc.boolean(), (items, isLong) => {
        const input = asInput(isLong ? [said(ofTokens(5_000)), ...items] : items);
        const found = plan(input);
        if (found === null) return;
        const result = finishStateless(found, found.full && summaryOf('SUMMARY'));
        const { rendered, next } = answered(result);
        expect(codec.violations(rendered)).toEqual([]);
        const ours = OURS.encrypted_content;
        expect(rendered.filter((item) => item.encrypted_content === ours)).toHaveLength(1);
        const back = expandInput(next);
        expect(back.items.slice(0, result.content.length)).toEqual(result.content);
        expect(back.items).toHaveLength(
          result.content.length +
            next.length -
            1 -
            next.findIndex(({ kind }) => kind === 'content'),
        );
      }),
    );
  });
});

describe('what was said and done', () => {
  const patch = (id: string, path: string, line: string): Item[] => [
    {
      type: 'custom_tool_call',
      call_id: id,
      name: 'apply_patch',
      input: `*** Begin Patch\n*** Add File: ${path}\n+${line}\n*** End Patch`,
    },
    {
      type: 'custom_tool_call_output',
      call_id: id,
      output: 'Success. Updated the following files:',
    },
  ];
  const round = (n: number): Item[] => [
    user(`Please build part ${n} of the harbour gate, with a lock of its own.`),
    ...(n === 0 ? [user('From now on, always write money as whole cents.')] : []),
    ...patch(`p${n}`, `src/part${n}.ts`, `export const gateKeeper${n} = ${n};`),
    call(`c${n}`),
    output(`c${n}`, ofTokens(3_000)),
    said(`Part ${n} is built.`),
  ];
  /** As a service without a model writes it. */
  const compactedFromLog = (input: readonly StatelessInput[]): StatelessResult => {
    const found = planned(input, { preserve_user_messages: false });
    if (found.full === null) return finishStateless(found, null);
    const text = summarizeExtractively(found.full.ledgers, {
      max_tokens: 2_000,
      count: estimator(found.config),
      template: 'nine-sections',
    });
    return finishStateless(found, { ...summaryOf(text), summarizer: 'extractive' });
  };

  it('is known after ten compactions as after one: nothing is read off a summary', () => {
    let next: StatelessInput[] = [];
    let result: StatelessResult | null = null;
    for (let n = 0; n < 10; n++) {
      result = compactedFromLog([...next, ...asInput(round(n))]);
      next = answered(result).next;
    }
    const told = JSON.stringify(result?.content);
    for (let n = 0; n < 10; n++) {
      expect(told).toContain(`Please build part ${n} of the harbour gate`);
      expect(told).toMatch(new RegExp(`part${n}\\.ts: [^"\\\\]*gateKeeper${n}\\b`));
    }
    expect(told).toContain('always write money as whole cents');
    const whole = ledgerOf(
      Array.from({ length: 10 }, (_, n) => round(n))
        .flat()
        .map((item) => codec.normalise(item)),
    );
    const ledger = result?.ledger;
    expect(ledger?.requests.map(({ text }) => text)).toEqual(
      whole.requests.map(({ text }) => text),
    );
    const filesOf = ({ files }: Ledger) => files.map(({ path, added }) => [path, added]);
    expect(filesOf(ledger ?? EMPTY_LEDGER)).toEqual(filesOf(whole));
    expect(ledger?.constraints.map(({ text }) => text)).toEqual(
      whole.constraints.map(({ text }) => text),
    );
  });

  it('stays so where a content is carried as it is, and is read anew where it comes without a ledger', () => {
    const short = [user('From now on, always answer in verse.'), said('So be it.')];
    const first = compactedFromLog(asInput(short));
    expect(first.content).toEqual(short);
    expect(first.ledger.constraints).toHaveLength(1);
    const again = compactedFromLog([...answered(first).next, ...asInput([user('Go on.')])]);
    expect(again.ledger.requests.map(({ text }) => text)).toEqual([
      'From now on, always answer in verse.',
      'Go on.',
    ]);
    const bare: StatelessInput = { kind: 'content', items: first.content };
    const anew = compactedFromLog([bare, ...asInput([user('Go on.')])]);
    expect(anew.ledger.requests).toHaveLength(2);
  });

  it('takes a bounded place, however much it was', () => {
    const many = Array.from({ length: 700 }, (_, n) => [
      user(`Request ${n}: ${'rename it to something better '.repeat(20)}nameNumber${n}`),
      ...patch(`q${n}`, `src/file${n}.ts`, `const thing${n} = 1;`),
    ]).flat();
    const { ledger } = compactedFromLog(asInput(many));
    expect(JSON.stringify(ledger).length).toBeLessThan(200_000);
    expect(ledger.condensed.request).toBeGreaterThan(400);
  });
});
