import { readOwnTills } from '../../checkout/till/cashiers.ts'
import { startOfDay } from '../../checkout/till/day.ts'
import { QUESTION_MAX, readQuestion } from '../../checkout/till/read-question.ts'
import type { OwnTill } from '../../checkout/till/till-people-store.ts'
import { readTillPayments, readTillTakings, type TillPayment } from '../../checkout/till/till-store.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'

/** The most payments of a day on the page. */
const SHOWN_MAX = 50

/** The first page of a cashier: their tills, and of these the takings and the payments of today. Amounts in francs. */
export type TillHome = {
  readonly tills: readonly OwnTill[]
  readonly taken_today: { readonly count: number; readonly amount: number }
  readonly last_paid: TillPayment | null
  /** The question as it was typed; empty without one. */
  readonly asked: string
  /** Those of today, or those that the question names. */
  readonly payments: readonly TillPayment[]
}

/** Reads the first page of a cashier. A person at no till sees no payment. */
export async function readTillHome(
  sql: Sql,
  tenant: Tenant,
  { person_id, asked: typed, now }: { person_id: string; asked: string; now: Date },
): Promise<TillHome> {
  const asked = typed.trim().slice(0, QUESTION_MAX)
  const tills = await readOwnTills(sql, tenant, person_id)
  const of = { ...tenant, link_ids: tills.map(({ link_id }) => link_id) }
  const bounds = { since: startOfDay(now), limit: SHOWN_MAX }
  const [takings, today, found] = await Promise.all([
    readTillTakings(sql, of, bounds.since),
    readTillPayments(sql, of, null, bounds),
    asked === '' ? null : readTillPayments(sql, of, questionOf(asked), bounds),
  ])
  return {
    tills,
    taken_today: {
      count: takings.reduce((sum, { count }) => sum + count, 0),
      amount: takings.reduce((sum, { amount }) => sum + amount, 0),
    },
    last_paid: today.filter(({ status }) => status === 'succeeded').toSorted(byPaid)[0] ?? null,
    asked,
    payments: found ?? today,
  }
}

const byPaid = (one: TillPayment, other: TillPayment) =>
  (other.succeeded_at ?? other.created_at).getTime() - (one.succeeded_at ?? one.created_at).getTime()

/** Four digits are first the end of a payer's number, and may be an amount or a code too. */
function questionOf(asked: string) {
  const question = readQuestion(asked) ?? { code: null, amount: null, reference: null }
  const digits = asked.replace(/[\s.\u2022]/g, '')
  return /^\d{4}$/.test(digits) ? { ...question, last4: digits } : question
}
