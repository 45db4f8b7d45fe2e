import { expect, test } from 'vitest';
import { urlsOfHosts } from '../../src/domain/url-text.ts';

test.each([
  ['postgres://me:x@one/db', ['postgres://me:x@one/db']],
  [
    'postgres://me:x@one:5432,two:5433/db?sslmode=require',
    ['postgres://me:x@one:5432/db?sslmode=require', 'postgres://me:x@two:5433/db?sslmode=require'],
  ],
  ['postgresql://one,two/db', ['postgresql://one/db', 'postgresql://two/db']],
  ['postgres://me@[::1]:1,[::2]:2/db', ['postgres://me@[::1]:1/db', 'postgres://me@[::2]:2/db']],
  // A comma that belongs to a password, a database or a parameter is none between hosts.
  ['postgres://me:a,b@one/db', ['postgres://me:a,b@one/db']],
  ['postgres://one/d,b?options=-c,x', ['postgres://one/d,b?options=-c,x']],
  ['postgres:///db?host=/run/a,b', ['postgres:///db?host=/run/a,b']],
])('the servers of %s', (url, expected) => {
  expect(urlsOfHosts(url)).toEqual(expected);
});
