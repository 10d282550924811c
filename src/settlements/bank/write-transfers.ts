import { type About, recordAct, WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import { readAccounts } from '../../beneficiaries/store.ts'
import { csvLine } from '../../platform/csv-line.ts'
import { eachShard } from '../../platform/each-shard.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import { readOpenSettlements } from '../review-settlement.ts'

const columns = [
  'settlement_id',
  'holder',
  'account_type',
  'operator',
  'account',
  'amount',
  'currency',
  'label',
] as const

/** The transfers to make as CSV, with whole accounts, and their number and total. */
export type BankFile = { csv: string; settlements: number; amount: number }

/**
 * Writes the validated settlements of one mode as a file for the bank, oldest first, at most 200. Only here does the desk give whole
 * accounts. The audit log records each file. The person copies `label` into the transfer, so that the bank's file can be matched.
 */
export async function writeBankFile(sql: Sql, livemode: boolean, by: Actor): Promise<BankFile> {
  const open = await readOpenSettlements(sql, { livemode })
  const validated = open.filter(({ status }) => status === 'validated')
  const keys = validated.map(({ merchant_id, beneficiary_id: id }) => ({ merchant_id, livemode, id }))
  const accounts = new Map((await eachShard(sql, keys, (some) => readAccounts(sql, some))).flat())
  const lines = validated.map(({ id, name, account_type, operator, beneficiary_id, amount, currency }) =>
    csvLine([id, name, account_type, operator ?? '', accounts.get(beneficiary_id) ?? '', amount, currency, id]),
  )
  const amount = validated.reduce((sum, one) => sum + one.amount, 0)
  const about: About = { merchant_id: WHOLE_SERVICE, livemode }
  await sql.begin(async (tx) => {
    recordAct(tx, about, { actor: by, act: 'settlement.bank_file', after: { settlements: validated.length, amount } })
  })
  return { csv: csvLine(columns) + lines.join(''), settlements: validated.length, amount }
}
