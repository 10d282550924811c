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

/** The transfers that are to be made, with whole accounts, and how many they are. */
export type BankFile = { csv: string; settlements: number; amount: number }

/**
 * The validated settlements of one mode as a file for the bank, 200 at most, the oldest first: the only place where the desk gives whole
 * accounts. Each file leaves a line in the audit log. `label` is to stand in the transfer, so that the bank's own file can be matched again.
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
