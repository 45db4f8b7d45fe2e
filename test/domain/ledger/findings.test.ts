import { expect, test } from 'vitest';
import { asks, ledgerOf } from '../../support/log-items.ts';

const constraintsOf = (text: string) => ledgerOf([asks(text)]).constraints.map((one) => one.text);

test.each([
  ['in plain text', (label: string) => `${label}:`],
  ['in bold', (label: string) => `**${label}:**`],
  ['in a list', (label: string) => `- ${label}:`],
])('what a review has found asks for nothing, what it asks for does: %s', (_, of) => {
  const review = [
    `${of('Conclusion')} The job is registered, and yet its entries are never created.`,
    `${of('Brief rationale')} The backend only accepts a string instead of a number.`,
    `${of('Evidence')} \`src/a.ts:7\` is always \`true\`. Any device is trusted by default.`,
    `${of('Impact')} Settlements are written without an owner.`,
    `${of('Evidence')} \`a.kt:16\` launches directly to app content without auth gate.`,
    `${of('Minimum actionable fix')} Always check the owner before a settlement is written.`,
    'Do not touch the migrations.',
  ];
  expect(constraintsOf(review.join('\n'))).toEqual([
    expect.stringContaining('Always check the owner'),
    'Do not touch the migrations.',
  ]);
});

test.each([
  'Conclusion: from now on always use pnpm.',
  'Impact: must not break the public API.',
  'Impact: do not touch the schema.',
  'Rationale: it is slow, never allow more than five.',
  'Rationale: we never ship on Fridays.',
  'Evidence: keep the logs for 30 days and never delete them.',
  'Conclusion: niemals ohne Tests deployen.',
  'Conclusion： 永远不要修改数据库',
])('an order is one under such a heading as well: %s', (order) => {
  const text = `Evidence: the page is slow\nImpact: users have to wait\n${order}`;
  expect(constraintsOf(text)).toEqual([order]);
});

test.each(['Problem:', '### Root cause', '**Current behavior:**', '2. Bug:'])(
  'what stands below %s tells what is wrong',
  (heading) => {
    const text = `${heading}\n\nThe forum uses the file instead of the flags.\nIt only reads it once.\n\nFix:\n- Only read the flags.`;
    expect(constraintsOf(text)).toEqual(['Only read the flags.']);
  },
);

test.each([
  ['a demand', 'Problem:\nThe route must return 404, and returns 500.', 'must return 404'],
  ['an order', 'Issue:\nPlease only use the flags.', 'only use the flags'],
  ['one that begins the line', 'Issue:\n- prefer pnpm to npm in the scripts', 'prefer pnpm'],
  ['one of how it always is to be', 'Bug:\nAlways use the new flags.', 'Always use'],
  ['another language', 'Problem:\nBitte nur die Flags lesen.', 'nur die Flags'],
  ['what follows later', 'Bug:\nIt is slow.\n\nOnly read the flags.', 'Only read'],
  ['what is headed below', 'Problem:\nIt is slow. Fix:\nOnly read the flags.', 'Only read'],
  ['no heading', 'The problem\nOnly read the flags.', 'Only read'],
])('but not %s', (_, text, rule) => {
  expect(constraintsOf(`${text}\n\nFix: see above`)).toEqual([expect.stringContaining(rule)]);
});

test('a problem without a word of its remedy is a task', () => {
  const text = 'Problem:\nSort the list. Only use the memory of the list itself.';
  expect(constraintsOf(text)).toEqual(['Only use the memory of the list itself.']);
});

test('a sentence that makes sure of something holds for good', () => {
  const { constraints } = ledgerOf([asks('Make sure the token is present but never logged.')]);
  expect(constraints).toMatchObject([{ is_standing: true }]);
});

test.each([
  ['a word of the user', 'Impact: the API must never change.\nRationale: only we use it.'],
  ['one label', 'Impact: never log names.\nImpact: never log keys.\nImpact: never log addresses.'],
  [
    'a review that asks for it there',
    'Evidence: src/a.ts:7\nConclusion: fails\nImpact: please never write without an owner.\nEvidence: b.ts',
  ],
])('but not in %s', (_, text) => {
  expect(constraintsOf(text)[0]).toContain('never');
});

test.each([
  'The `restoredAt` field exists but is never set.',
  'The key is declared but never written by production code.',
  '`@scope/sortable` and `@scope/utilities` are imported but never rendered.',
  'Device trust is defined but it is never enforced at runtime.',
  'Problem: `Scheduler` has a method but it is never scheduled.',
  '1. **Issue:** the `run()` method is there and is never started.',
  'Bug: the badge is always red.',
])('code of which it is said that it is there and does nothing: %s', (said) => {
  expect(constraintsOf(said)).toEqual([]);
});

test.each([
  'The key is held in memory but must never be stored.',
  'Drafts that exist must be kept but never shown to guests.',
  'Keep the registered handlers, but never call them twice.',
  'Legacy routes are present. Never change them.',
  'The flags are defined, but never read them at start.',
  'The fonts are present but never embed them.',
  'The flag is defined but must never be read.',
  'The legacy table exists but is never to be written to.',
  'The old API is in place but is never allowed to be called.',
  'Secrets are defined in the vault but never committed.',
  'I want the sidebar to exist but never overlapped by the modal.',
  'Problem: tokens are never to be logged.',
  'Issue: never log tokens.',
  'Problem: passwords must always be hashed.',
  'Problem: the lock is never freed; always free it in `finally`.',
])('but what must not be done with it: %s', (said) => {
  expect(constraintsOf(said)).not.toEqual([]);
});
