import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import type { Db } from '../platform/postgres/database.ts'
import { expecting, pageLimit } from '../values/fields.ts'
import { isDay, periodOf } from '../values/period.ts'
import { PAGE_DEFAULT, PAGE_MAX, readStatement } from './read-statement.ts'
import { Statement } from './statement.ts'

const day = (description: string) =>
  Type.Refine(Type.String({ format: 'date', description }), isDay, () => 'a day that exists, written YYYY-MM-DD')

export const getStatement = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/v1-statements',
  operation: 'getStatement',
  summary: 'Read the account of what you are owed over a period',
  tags: ['Statements'],
  scope: 'collect',
  query: Type.Object({
    from: day('First day, included. Days are those of UTC, which is the time of Abidjan.'),
    to: day('Last day, included in full.'),
    limit: pageLimit(PAGE_DEFAULT, PAGE_MAX),
    offset: Type.Optional(
      expecting(
        'a whole number of at least 0, in at most 15 digits',
        Type.String({ pattern: '^[0-9]{1,15}$', description: 'Movements to pass over.' }),
      ),
    ),
  }),
  example: { query: { from: '2026-01-01', to: '2026-12-31' } },
  replies: { 200: Statement },
  errors: { 400: ['invalid_request'], 422: ['invalid_period'], 500: ['statement_failed'] },
  invalid: { from: 'invalid_period', to: 'invalid_period', otherwise: 'invalid_request' },
  fault: 'statement_failed',
  async handle({ caller: { merchant_id, livemode }, query, reply, refuse }, deps: { reads: Db }) {
    const period = periodOf(query.from, query.to)
    if (period === null) return refuse('invalid_period', { message: 'from is after to. Exchange the two.' })
    const limit = Math.min(Number(query.limit ?? PAGE_DEFAULT), PAGE_MAX)
    const offset = Number(query.offset ?? 0)
    const statement = await readStatement(deps.reads, { merchant_id, livemode }, period, { limit, offset })
    if (statement === null) throw new Error(`Merchant ${merchant_id} has no account to state.`)
    return reply(200, statement)
  },
})
