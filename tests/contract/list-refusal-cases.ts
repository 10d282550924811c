import type { ErrorCode } from '../../src/values/error-codes.ts'
import { doorCases, faultCase, type RefusalCase } from './meet-refusals.ts'

/** The lists, each with the code of its fault, a column that its statement needs, and states and ids of another kind. */
const lists: readonly { path: string; code: ErrorCode; needs: [table: string, column: string]; wrong: string[] }[] = [
  {
    path: '/x/payments',
    code: 'payment_failed',
    needs: ['listed_operations', 'kind'],
    wrong: ['status=processing', 'starting_after=evt_1', 'operator=nobody', 'operator='],
  },
  {
    path: '/x/payouts',
    code: 'payout_failed',
    needs: ['listed_operations', 'kind'],
    wrong: ['status=pending', 'starting_after=por_1', 'operator=nobody', 'operator=mtn_ci&operator=mtn_ci'],
  },
  {
    path: '/x/batches',
    code: 'payout_failed',
    needs: ['batch_listing', 'id'],
    wrong: ['status=succeeded', 'starting_after=txn_1', 'operator=mtn_ci', 'operator=%00'],
  },
  {
    path: '/x/settlements',
    code: 'settlement_failed',
    needs: ['settlement_listing', 'id'],
    wrong: ['status=succeeded', 'starting_after=txn_1', 'operator=nobody'],
  },
  {
    path: '/x/requests',
    code: 'payment_failed',
    needs: ['request_log', 'duration_ms'],
    wrong: ['status=200', 'starting_after=txn_1', 'starting_after=1_2', 'method=GET'],
  },
]

const everywhere = [
  ...['limit=', 'limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=1&limit=2'],
  ...['status=', 'status=Failed', 'starting_after=', 'starting_after=%27'],
  ...['day=', 'day=2026-02-30', 'day=2026-1-1', 'day=0000-01-01', 'day=2026-01-01&day=2026-01-02'],
  ...['reference=', 'reference=%00', `reference=${'x'.repeat(256)}`],
  ...['merchant_reference=CMD-1', 'Status=failed', 'status[]=failed', 'offset=20'],
]

const routeOf = (path: string) => `GET ${path}`

/** Every refusal of the lists. */
export const listRefusals: readonly RefusalCase[] = lists.flatMap(({ path, code, needs, wrong }) => [
  ...doorCases({ [routeOf(path)]: { ask: ({ key }) => ({ path, key }), scoped: false } }),
  ...[...everywhere, ...wrong].map(
    (query): RefusalCase => ({
      route: routeOf(path),
      why: `?${query.slice(0, 50)}`,
      status: 400,
      code: 'invalid_request',
      prepare: ({ sender: { key } }) => ({ asked: { path: `${path}?${query}`, key } }),
    }),
  ),
  faultCase(
    routeOf(path),
    needs,
    ({ sender: { key } }) => ({ path, key }),
    async ({ installation }, asked) => void (await installation.ask(asked)),
    code,
  ),
])
