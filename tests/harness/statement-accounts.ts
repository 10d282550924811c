import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** Writes an export of Wave with one collection, in a folder of its own. Returns its path. */
export async function writeStatement(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'bandama-statement-')), 'wave.csv')
  const titles = 'timestamp,transaction_id,transaction_type,amount,fee,balance,currency,counterparty_mobile'
  await writeFile(file, `${titles},client_reference\n2026-11-02T08:00:00Z,T1,api_checkout,1000,10,1000,XOF,,\n`)
  return file
}

/** Writes a bank's file with one credit, in a folder of its own. Returns its path. @param day as the bank writes it */
export async function writeBankFile({ reference, amount, day }: { reference: string; amount: number; day: string }) {
  const file = join(await mkdtemp(join(tmpdir(), 'bandama-bank-')), 'bank.csv')
  await writeFile(
    file,
    `Date;Libellé;Débit;Crédit;Référence;Devise\n${day};VIREMENT RECU;;${amount};${reference};XOF\n`,
  )
  return file
}
