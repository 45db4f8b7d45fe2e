import { logOf } from './sdk-task.ts';

/** A conversation of so many long logs and the questions behind them, as the body of each protocol. */
export function longBodies(logs: number) {
  const messages = [
    { role: 'user', content: 'Find out why gadget_v7 fails.' },
    ...Array.from({ length: logs }, (_, index) => [
      { role: 'assistant', content: `Log ${index} says: ${logOf(`${index}.log`)}` },
      { role: 'user', content: `And the next? That was ${index}.` },
    ]).flat(),
  ];
  const input = messages.map((item) => ({ type: 'message', ...item }));
  return [
    ['/v1/messages', { model: 'm', max_tokens: 100, messages }],
    ['/v1/chat/completions', { model: 'm', messages }],
    ['/v1/responses', { model: 'm', input }],
  ] as const;
}
