import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { CURRENCY } from '../values/amount.ts'
import { currency, livemode, objectField } from '../values/fields.ts'
import { readBalancesNow } from './balances.ts'

const Balances = Type.Object(
  {
    object: objectField('balances'),
    available: Type.Integer({
      description: 'The balance that the service owes you, in francs. It is the closing balance of today’s statement.',
    }),
    transfer: Type.Integer({ description: 'The balance that payouts are paid from, in francs.' }),
    payouts_in_flight: Type.Integer({
      description: 'Taken for payouts that have no outcome yet, fees included, in francs.',
    }),
    settlements_in_flight: Type.Integer({
      description: 'Taken for settlements that are neither paid nor rejected, in francs.',
    }),
    currency,
    livemode,
    as_of: Type.String({ format: 'date-time', description: 'The moment at which the four balances were read.' }),
  },
  { $id: 'Balances', description: 'Your balances at one moment, in francs.' },
)

/**
 * An extension: the four balances at one moment. It needs the scope `collect`, because a statement closes on
 * `available`.
 */
export const getBalances = defineRoute({
  auth: 'api',
  method: 'GET',
  path: '/x/balances',
  operation: 'getBalances',
  summary: 'Read your balances',
  tags: ['Extensions'],
  scope: 'collect',
  replies: { 200: Balances },
  errors: { 500: ['payment_failed'] },
  fault: 'payment_failed',
  async handle({ caller: { merchant_id, livemode }, reply }, deps: { sql: Sql }) {
    const found = await readBalancesNow(deps.sql, { merchant_id, livemode })
    if (found === null) throw new Error(`Merchant ${merchant_id} has no accounts.`)
    const { as_of, ...balances } = found
    return reply(200, { object: 'balances', ...balances, currency: CURRENCY, livemode, as_of: as_of.toISOString() })
  },
})
