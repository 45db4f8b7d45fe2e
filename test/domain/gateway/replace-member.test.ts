import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaceMember } from '../../../src/domain/gateway/replace-member.ts';

describe('replaceMember', () => {
  it.each([
    ['{"a":1,"messages":[{"messages":2}],"b":1.0}', '{"a":1,"messages":NEW,"b":1.0}'],
    [' { "messages" : "x, }" \n}', ' { "messages" : NEW \n}'],
    ['{"messages":null}', '{"messages":NEW}'],
    ['{"messages":-1.5e3 , "a":"messages"}', '{"messages":NEW , "a":"messages"}'],
    ['{"messages":1,"messages":{"a":[]}}', '{"messages":1,"messages":NEW}'],
    ['{"mess\\u0061ges":true}', '{"mess\\u0061ges":NEW}'],
    ['{"a":"messages"}', null],
    ['{"a":{"messages":1}}', null],
    ['{}', null],
  ])('%s', (text, expected) => {
    expect(replaceMember(text, 'messages', 'NEW')).toBe(expected);
  });

  it('changes that member and nothing else', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(
        objects,
        fc.string(),
        fc.jsonValue(),
        fc.nat(3),
        (object, name, value, indent) => {
          fc.pre(name !== '__proto__');
          const own = Object.fromEntries([...Object.entries(object), [name, 'old']]);
          const text = JSON.stringify(own, null, indent);
          const replaced = replaceMember(text, name, JSON.stringify(value));
          expect(JSON.parse(replaced ?? '')).toEqual(
            JSON.parse(JSON.stringify({ ...own, [name]: value })),
          );
        },
      ),
    );
  });
});
