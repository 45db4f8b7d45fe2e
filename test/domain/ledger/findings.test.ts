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
    `${of('Minimum actionable fix')} Always check the owner before a settlement is written.`,
    'Do not touch the migrations.',
  ];
  expect(constraintsOf(review.join('\n'))).toEqual([
    expect.stringContaining('Always check the owner'),
    'Do not touch the migrations.',
  ]);
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
])('but what must not be done with it: %s', (said) => {
  expect(constraintsOf(said)).not.toEqual([]);
});
