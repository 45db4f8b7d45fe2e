import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { TenantShares } from '../../src/threads/tenant-shares.ts';

/** Tasks that end when they are told to. */
function tasks() {
  const under_way: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string) => async () => {
    under_way.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    under_way.splice(under_way.indexOf(name), 1);
    return name;
  };
  return { under_way, task, end: (name: string) => ends.get(name)?.() };
}

it('lets a tenant have its share at a time, in their order, whatever others have', async () => {
  const { under_way, task, end } = tasks();
  const shares = new TenantShares(2);
  const one = ['a', 'b', 'c', 'd'].map((name) => shares.run('one', task(name)));
  const other = shares.run('other', task('x'));
  await expect.poll(() => under_way).toEqual(['a', 'b', 'x']);
  end('a');
  await expect.poll(() => under_way).toEqual(['b', 'x', 'c']);
  for (const name of ['b', 'c', 'x']) end(name);
  await expect.poll(() => under_way).toEqual(['d']);
  end('d');
  expect(await Promise.all([...one, other])).toEqual(['a', 'b', 'c', 'd', 'x']);
});

it('does not run what nobody waits for any more when its turn comes', async () => {
  const { under_way, task, end } = tasks();
  const shares = new TenantShares(1);
  const first = shares.run('one', task('first'));
  const gone = new AbortController();
  const left = shares.run('one', task('left'), gone.signal);
  const next = shares.run('one', task('next'), new AbortController().signal);
  gone.abort(new Error('the client has gone'));
  end('first');
  await expect(left).rejects.toThrow('the client has gone');
  await expect.poll(() => under_way).toEqual(['next']);
  end('next');
  expect(await Promise.all([first, next])).toEqual(['first', 'next']);
});

it('goes on behind a task that fails', async () => {
  const shares = new TenantShares(1);
  const failed = shares.run('one', () => Promise.reject(new Error('it failed')));
  const next = shares.run('one', async () => 'next');
  await expect(failed).rejects.toThrow('it failed');
  expect(await next).toBe('next');
});

it('runs each task as part of the request that has brought it', async () => {
  const request = new AsyncLocalStorage<string>();
  const shares = new TenantShares(1);
  const names = ['first', 'second', 'third'];
  const seen = names.map((name) =>
    request.run(name, () =>
      shares.run('one', async () => {
        await Promise.resolve();
        return request.getStore();
      }),
    ),
  );
  expect(await Promise.all(seen)).toEqual(names);
});
