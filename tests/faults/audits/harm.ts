import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BookCheck } from '../../../src/app/audit/book-check.ts'
import { type AuditCheck, audit, checkBooks } from '../../../src/app/audit.ts'
import type { Sql, Tx } from '../../../src/platform/postgres/database.ts'

/** A change to the books that bypasses their guards. */
export type Harm = (tx: Tx) => PromiseLike<unknown>

/** The harms to some checks of the audit. */
export type Harmed = {
  checks: readonly BookCheck[]
  /** The tables whose triggers keep others from doing what is done here. */
  guarded: readonly string[]
  /** Each harm, after the check that must find it. */
  harms: readonly [check: string, harm: Harm][]
}

/** Tests that the audit finds each harm by the check it is listed with; others may find it too. Each of the checks is broken at least once. */
export function testHarms(sql: () => Sql, { checks, guarded, harms }: Harmed): void {
  for (const [at, [check, harm]] of harms.entries()) {
    test(`found when broken: ${check} (${at + 1})`, async () => {
      const found = await findHarm(sql(), guarded, harm)
      assert.ok(
        found.some((one) => one.check === check),
        JSON.stringify(found),
      )
    })
  }
  test('every check is broken once here', () => {
    const broken = new Set(harms.map(([check]) => check))
    for (const { check } of checks) assert.ok(broken.has(check), check)
  })
}

/** Returns the checks of the audit that find something wrong. */
export async function wrongIn(sql: Sql): Promise<AuditCheck[]> {
  const { checks } = await audit(sql)
  return checks.filter(({ wrong }) => wrong > 0)
}

/** The findings of the audit's checks after `harm`, with the triggers of `tables` off. Rolled back at the end. */
async function findHarm(sql: Sql, tables: readonly string[], harm: Harm): Promise<AuditCheck[]> {
  const undo = new Error('undo')
  let found: AuditCheck[] = []
  await sql
    .begin(async (tx) => {
      for (const table of tables) await tx`alter table ${tx(table)} disable trigger user`
      await tx`select set_config(name, 'on', true)
                 from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) as name`
      await harm(tx)
      found = (await checkBooks(tx)).filter(({ wrong }) => wrong > 0)
      throw undo
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error
    })
  return found
}
