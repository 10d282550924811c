import { insertBookEntry, type NamedEntry, readBook } from '../../src/beneficiaries/payout-book.ts'
import { applyEffects } from '../../src/platform/commands/effects.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import { type Tenant, tenantOf } from '../../src/values/caller.ts'
import { Msisdn } from '../../src/values/msisdn.ts'

/** Two transactions that bring the same number meet here. */
const NUMBERS_KEY = 'beneficiaries_msisdn_key'

/**
 * Brings numbers to the books of merchants in one transaction, as commands do: reads them, and adds those that are not there. It takes no
 * lock of the merchants, which commands do, so that nothing but the order of the rows keeps two of them out of a circle.
 * @param wanted numbers in international form
 * @param writers that may bring the same numbers at once, this one too: each of the others commits once, and so conflicts with it once at most
 * @returns the id of each entry, and how many are new
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

/** Begins work anew as long as another transaction has brought one of its numbers. */
async function asOftenAs<Result>(tries: number, work: () => Promise<Result>): Promise<Result> {
  for (let nth = 1; ; nth += 1) {
    try {
      return await work()
    } catch (error) {
      if (violatedConstraint(error) !== NUMBERS_KEY || nth === tries) throw error
    }
  }
}
