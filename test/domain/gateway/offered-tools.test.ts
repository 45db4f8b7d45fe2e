import { expect, it } from 'vitest';
import { withoutTools, withTools } from '../../../src/domain/gateway/recall/offer.ts';

const OFFERED = [{ name: 'palimpsest_recall', description: 'Reads.', parameters: {} }];

it.each([
  '{"model":"m","messages":[]}',
  ' { "model" : "m", "messages": [] }',
  '{"messages":[],"tools":null}',
  '{"tools" : [ ],"messages":[]}',
  '{"messages":[{"tools":1}],"tools":[{"type":"function","function":{"name":"own"}} ],"n":1}',
])('tools of ours are taken out of %s again', (text) => {
  const offering = withTools('chat', text, JSON.parse(text), OFFERED) ?? '';
  expect(JSON.parse(offering).tools.at(-1).function.name).toBe('palimpsest_recall');
  expect(withoutTools(offering, text)).toBe(text);
});
