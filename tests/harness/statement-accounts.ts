import type { Sql } from '../../src/platform/postgres/database.ts'

let made = 0

/** Opens an external account of a test's own. Returns its code. @param connector of a wallet; absent: one that has no orders */
export async function newStatementAccount(
  sql: Sql,
  livemode: boolean,
  { kind = 'wallet', connector }: { kind?: 'wallet' | 'bank'; connector?: string } = {},
): Promise<string> {
  made += 1
  const code = `${kind}-${process.pid}-${made}`
  await sql`
    insert into external_accounts (livemode, code, kind, connector, directions, orders_from, due, late_days, created_by)
    values (${livemode}, ${code}, ${kind}, ${kind === 'wallet' ? (connector ?? code) : null}, '{}', '1970-01-01Z', 'daily', 1, 'test')`
  return code
}
