import { insertBookEntry, type NamedEntry, readBook } from '../../src/beneficiaries/payout-book.ts'
import { applyEffects } from '../../src/platform/commands/effects.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { type Tenant, tenantOf } from '../../src/values/caller.ts'
import { Msisdn } from '../../src/values/msisdn.ts'

/** The constraint that two transactions with the same number violate. */
const NUMBERS_KEY = 'beneficiaries_msisdn_key'

/**
 * Adds numbers to merchants' books in one transaction, like commands: it reads them and adds missing ones. Unlike commands it locks no
 * merchant, so that only the order of the rows prevents a deadlock.
 * @param wanted numbers in international form
 * @param writers the number of simultaneous writers of these numbers, including this one. Each other one commits once, so it conflicts at
 * most once
 * @returns the id of each entry, and the number of new ones
 */
export function bringToBook(
  sql: Sql,
  wanted: readonly (Tenant & { msisdn: string })[],
  writers = 4,
): Promise<{ ids: string[]; created: number }> {
  return asOftenAs(writers, () =>
    sql.begin(async (tx) => {
      const named = wanted.map((one): NamedEntry & { kind: 'inline' } => {
        return { ...tenantOf(one), kind: 'inline', msisdn: Msisdn.stored(one.msisdn) }
      })
      const book = await readBook(tx, named)
      const added = named.flatMap((one) => {
        if (book.find(one) !== null) return []
        const holder = { name: 'Awa', label: null, operator: 'orange_ci', msisdn: one.msisdn.e164 }
        const entry = { ...tenantOf(one), ...holder, beneficiary_id: crypto.randomUUID() }
        book.add(entry)
        return [insertBookEntry({ ...entry, added_by: 'key:tests' })]
      })
      await applyEffects(tx, added, new Date())
      return { ids: named.map((one) => book.find(one)!.beneficiary_id), created: added.length }
    }),
  )
}

/** Repeats work while another transaction has added one of its numbers. */
async function asOftenAs<Result>(tries: number, work: () => Promise<Result>): Promise<Result> {
  for (let nth = 1; ; nth += 1) {
    try {
      return await work()
    } catch (error) {
      if (violatedConstraint(error) !== NUMBERS_KEY || nth === tries) throw error
    }
  }
}
