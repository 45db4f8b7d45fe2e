import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Recordings } from '../../../src/app/gateway/recordings.ts';

/** Something that is written once the event loop has turned so often. */
async function soon(turns: number, write: () => void): Promise<void> {
  for (let passed = 0; passed < turns; passed++) await turn();
  write();
}

describe('answers on their way into the log', () => {
  it('are waited for by who goes on from them, and by nobody else', async () => {
    const recordings = new Recordings();
    const written: string[] = [];
    recordings.add(
      'mine',
      soon(3, () => written.push('mine')),
    );
    recordings.add('other', new Promise(() => {}));
    await recordings.settled('mine');
    expect(written).toEqual(['mine']);
    await recordings.settled('nobody');
  });

  it('are all waited for at the end, those of connections that were cut off just now too', async () => {
    const recordings = new Recordings();
    const written: string[] = [];
    recordings.add(
      'whole',
      soon(3, () => written.push('whole')),
    );
    void soon(2, () =>
      recordings.add(
        'cut off',
        soon(30, () => written.push('cut off')),
      ),
    );
    await recordings.allSettled();
    expect(written).toEqual(['whole', 'cut off']);
  });
});
