import Type, { type Static } from 'typebox'
import type { AccountPeriod } from '../ledger/store.ts'
import { CURRENCY } from '../values/amount.ts'
import { currency, livemode, objectField } from '../values/fields.ts'
import type { Period } from '../values/period.ts'
import { Movement } from './movement.ts'

/** One page of a merchant's statement over a period. Amounts are in francs. */
export const Statement = Type.Object(
  {
    object: objectField('statement'),
    from: Type.String({ format: 'date', description: 'First day, included. Days are those of UTC.' }),
    to: Type.String({ format: 'date', description: 'Last day, included in full.' }),
    currency,
    livemode,
    opening_balance: Type.Integer({ description: 'The balance owed to you when the period began, in francs.' }),
    total_in: Type.Integer({ description: 'The sum of the movements in, over the whole period, in francs.' }),
    total_out: Type.Integer({ description: 'The sum of the movements out, over the whole period, in francs.' }),
    closing_balance: Type.Integer({
      description:
        '`opening_balance + total_in - total_out` in francs; the available balance when the period ends today.',
    }),
    data: Type.Array(Movement, { description: 'The movements of the period, oldest first.' }),
    total_count: Type.Integer({ description: 'Movements of the whole period, whatever the page.' }),
    limit: Type.Integer({ description: 'As it was applied.' }),
    offset: Type.Integer({ description: 'How many movements were passed over.' }),
    has_more: Type.Boolean({ description: 'Whether movements follow this page.' }),
  },
  { $id: 'Statement', description: 'A page of the statement of your available balance over a period.' },
)
export type Statement = Static<typeof Statement>

/** The figures of a period. Entries never change, so movements that are read later agree with these figures. */
export type PeriodFigures = Period & AccountPeriod

/** Returns the number of movements in a period. */
export function countOf({ first_sequence, last_sequence }: PeriodFigures): number {
  return last_sequence - first_sequence + 1
}

/** Returns one page of a statement as answers show it. `data` has at most `limit` movements from `offset` on. */
export function viewStatement(
  figures: PeriodFigures,
  { livemode, limit, offset, data }: { livemode: boolean; limit: number; offset: number; data: Movement[] },
): Statement {
  const { from, to, opening_balance, total_in, total_out, closing_balance } = figures
  return {
    object: 'statement',
    from,
    to,
    currency: CURRENCY,
    livemode,
    opening_balance,
    total_in,
    total_out,
    closing_balance,
    data,
    total_count: countOf(figures),
    limit,
    offset,
    has_more: offset + data.length < countOf(figures),
  }
}
