import { describe, expect, it } from 'vitest';
import { changesOf } from '../../../src/domain/ledger/changing-calls.ts';
import { ledgerOf, ran, used } from '../../support/log-items.ts';

const BOOKED = '{"reservation_id": "K1NW8N", "status": "booked"}';

describe('what calls change out there', () => {
  it('is told in order with all that the calls were given, where they did not fail', () => {
    const { tools } = ledgerOf([
      ...used('get_user_details', { user_id: 'mohamed_silva_9265' }, '{"orders": []}'),
      ...used('cancel_reservation', { reservation_id: 'K1NW8N' }, '{"status": "cancelled"}'),
      ...used('book_reservation', { user_id: 'mohamed_silva_9265', cabin: 'business' }, BOOKED),
      ...used('book_reservation', { user_id: 'x' }, 'Error: 1 validation error for Payment', true),
      ...used('cancel_reservation', { reservation_id: 'ZFA04Y' }, '{"status": "cancelled"}'),
    ]);
    expect(changesOf(tools)).toEqual([
      'cancel_reservation {"reservation_id":"K1NW8N"}',
      'book_reservation {"user_id":"mohamed_silva_9265","cabin":"business"}',
      'cancel_reservation {"reservation_id":"ZFA04Y"}',
    ]);
  });

  it.each([
    ['a tool of a server', 'mcp__retail-tools__return_delivered_order_items', true],
    ['a name in one word', 'createIssue', true],
    ['what is set aside at a server of the provider', 'shop__reserve_stock', true],
    ['a second tree of the repository', 'EnterWorktree', true],
    ['another mode of the program', 'EnterPlanMode', false],
    ['a question', 'get_order_details', false],
    ['a file, which is told as such', 'create_file', false],
    ['a list of todos', 'update_todo_list', false],
    ['the folder that all is in', 'create_new_workspace', false],
    ['what a server calls so', 'mcp__linear__delete_workspace', true],
    ['a tool that is called as what it does', 'Update', false],
    ['a name of a thing, and how it is looked at', 'mcp__github__issue_read', false],
    ['the same of an order', 'order_status', false],
    ['a status that is changed', 'update_order_status', true],
  ])('knows them by what they are called: %s', (_, name, isTold) => {
    const { tools } = ledgerOf(used(name, { order_id: '#W8488728' }, '{"ok": true}'));
    expect(changesOf(tools)).toHaveLength(isTold ? 1 : 0);
  });

  it.each(['{"success": false}', '{"status":"error","code":7}', '{"content":[],"isError":true}'])(
    'tells none where the answer says that it was not done: %s',
    (answer) => {
      expect(changesOf(ledgerOf(used('create_issue', { title: 'A' }, answer)).tools)).toEqual([]);
    },
  );

  it('keeps the newest of many', () => {
    const calls = Array.from({ length: 40 }, (_, n) => used('send_email', { n }, 'sent')).flat();
    const told = changesOf(ledgerOf([...calls, ...ran('ls', 'a')]).tools);
    expect(told).toHaveLength(12);
    expect(told.at(-1)).toBe('send_email {"n":39}');
  });
});
