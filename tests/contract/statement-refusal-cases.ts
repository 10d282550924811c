import type { ErrorCode } from '../../src/values/error-codes.ts'
import type { Asked } from './ask.ts'
import { doorCases, faultCase, type RefusalCase } from './meet-refusals.ts'
import type { Sender } from './sender.ts'
import { checkStatement, STATEMENTS } from './statement-answers.ts'

const ROUTE = 'GET /v1-statements'

/** Queries that name no period, each with what is wrong. */
const noPeriods = [
  '',
  'from=2026-01-01',
  'to=2026-01-31',
  'from=&to=',
  'from=2026-01-31&to=2026-01-01',
  'from=2026-02-01&to=2026-01-31',
  'from=2026-02-29&to=2026-03-31',
  'from=2100-02-29&to=2100-03-01',
  'from=2026-01-01&to=2026-04-31',
  'from=2026-13-01&to=2026-13-31',
  'from=2026-01-00&to=2026-01-31',
  'from=0000-01-01&to=2026-01-31',
  'from=26-01-01&to=2026-01-31',
  'from=2026-1-1&to=2026-01-31',
  'from=20260101&to=20260131',
  'from=2026-01-01T00:00:00Z&to=2026-01-31',
  'from=2026/01/01&to=2026/01/31',
  'from=01-01-2026&to=31-01-2026',
  'from=today&to=2026-01-31',
  'from=%202026-01-01&to=2026-01-31',
  'from=2026-01-01%00&to=2026-01-31',
  'from=2026-01-01&to=2026-01-31%0A',
  'from=2026-01-01&from=2026-01-01&to=2026-01-31',
  'from[]=2026-01-01&to=2026-01-31',
  'FROM=2026-01-01&TO=2026-01-31',
  'from=10000-01-01&to=10000-01-31',
  `from=${'9'.repeat(2_000)}&to=2026-01-31`,
  "from=2026-01-01'--&to=2026-01-31",
]
/** Wrong pages. The period comes first in the interface's table, and so does its refusal. */
const noPages = ['limit=', 'limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=1e2', 'limit=%2B1', 'limit=1&limit=2']
noPages.push('offset=', 'offset=-1', 'offset=x', `offset=${'9'.repeat(16)}`, 'offset=1.0', 'offset=%00')

const good = 'from=2026-01-01&to=2026-01-31'

/** Asked with the merchant's key that collects. */
const read = ({ merchant: { key } }: Sender, query = good): Asked => ({ path: `${STATEMENTS}?${query}`, key })

function refusal(status: number, code: ErrorCode, query: string): RefusalCase {
  return {
    route: ROUTE,
    why: `?${query.slice(0, 60)}`,
    status,
    code,
    prepare: ({ sender }) => ({ asked: read(sender, query) }),
  }
}

/** Every refusal of a statement. */
export const statementRefusals: readonly RefusalCase[] = [
  // These refusals come before that of the scope, so a payout key gets them.
  ...doorCases({ [ROUTE]: { ask: ({ key }) => ({ path: `${STATEMENTS}?${good}`, key }), scoped: false } }),
  {
    route: ROUTE,
    why: 'a key that pays out, whatever it asks for',
    status: 403,
    code: 'insufficient_scope',
    prepare: ({ sender: { key } }) => ({ asked: { path: `${STATEMENTS}?from=x`, key } }),
  },
  ...noPeriods.map((query) => refusal(422, 'invalid_period', query)),
  ...noPages.map((query) => refusal(400, 'invalid_request', `${good}&${query}`)),
  refusal(422, 'invalid_period', 'from=2026-02-30&to=2026-03-01&limit=x'),
  faultCase(
    ROUTE,
    ['ledger_entries', 'credited_after'],
    ({ sender }) => read(sender),
    async ({ installation }, asked) => {
      checkStatement(await installation.ask(asked))
    },
    'statement_failed',
  ),
]
