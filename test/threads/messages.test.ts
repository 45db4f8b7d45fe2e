import { expect, test } from 'vitest';
import { ArchiveError } from '../../src/app/ports/archive.ts';
import { answerOf, resultOf } from '../../src/threads/messages.ts';

test('trouble with the archive is the same on the other side of a thread', async () => {
  const cause = Object.assign(new Error('no such folder'), { code: 'ENOENT' });
  const answer = await answerOf(() => Promise.reject(new ArchiveError('missing', cause)));
  // What is sent is copied.
  const thrown = await Promise.resolve(structuredClone(answer))
    .then(resultOf)
    .catch((error) => error);
  expect(thrown).toBeInstanceOf(ArchiveError);
  expect(thrown).toMatchObject({ kind: 'missing', message: new ArchiveError('missing').message });
});
