import { describe, expect, it } from 'vitest';
import { TenantDebts } from '../../../src/workers/engines/tenant-debts.ts';

describe('the debts of tenants', () => {
  it('begin beyond twenty jobs, grow with each, and shrink by one a second', () => {
    let now = 0;
    const debts = new TenantDebts(() => now);
    const red = (jobs: number) => Array.from({ length: jobs }, () => debts.next('red'));
    expect(red(20).every((debt) => debt === 0)).toBe(true);
    expect(red(3)).toEqual([1, 2, 3]);
    now += 2_000;
    expect(red(1)).toEqual([2]);
    expect(debts.next('blue')).toBe(0);
    now += 60_000;
    expect(red(21)).toEqual([...Array(20).fill(0), 1]);
  });

  it('are bounded, and gone within minutes', () => {
    let now = 0;
    const debts = new TenantDebts(() => now);
    for (let n = 0; n < 100_000; n += 1) debts.next('red');
    expect(debts.next('red')).toBe(600);
    now += 620_000;
    expect(debts.next('red')).toBe(0);
  });
});
