import { readLedger } from '../../app/read-ledger.ts';
import { json } from '../http/answer.ts';
import { type Api, addEndpoint, refOf } from '../http/endpoint.ts';
import { unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { ledgerBody, ledgerQuery } from './schemas.ts';

/** `/sessions/{id}/ledger` (SPEC 2, section 25). */
export function addLedgerRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/ledger',
    operationId: 'getLedger',
    tag: 'Context',
    summary: 'What the log says that a successor needs to know',
    description:
      'Requests, constraints, decisions, changes, runs, errors and their cures, the plan: folded from ' +
      'the log, each with the item that says it. Summaries from the log are written from these.',
    params: sessionParams,
    query: ledgerQuery,
    responses: { 200: json('The facts, kind by kind.', ledgerBody) },
    problems: ['session_not_found'],
    handle: async (call, answer) =>
      answer.long(async () => unwrap(await readLedger(deps, refOf(call), call.query))),
  });
}
