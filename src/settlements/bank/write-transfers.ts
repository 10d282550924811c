import { readAccounts } from '../../beneficiaries/store.ts'
import type { Clock } from '../../platform/clock.ts'
import { csvLine } from '../../platform/csv-line.ts'
import { eachShard } from '../../platform/each-shard.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import { tenantOf } from '../../values/caller.ts'
import * as store from '../store.ts'
import { takeAccounts } from '../take-accounts.ts'

/** The most settlements in one file. */
const FILE_MAX = 200

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
 * accounts, and marks the settlements first (`takeAccounts`). The person copies `label` into the transfer, so that the bank's file can be matched.
 */
export async function writeBankFile(deps: { sql: Sql; clock: Clock }, livemode: boolean, by: Actor): Promise<BankFile> {
  const { sql } = deps
  const filter = { livemode, status: 'validated', merchant_id: null, after: null, limit: FILE_MAX } as const
  const validated = await store.readList(sql, filter)
  const taken = await eachShard(sql, validated, (some) => takeAccounts(deps, some, 'settlement.bank_file', by))
  const ids = new Set(taken.flat().map(({ id }) => id))
  const inFile = validated.filter(({ id }) => ids.has(id))
  const keys = inFile.map(({ beneficiary_id, ...settlement }) => ({ ...tenantOf(settlement), id: beneficiary_id }))
  const accounts = new Map((await eachShard(sql, keys, (some) => readAccounts(sql, some))).flat())
  const lines = inFile.map(({ id, name, account_type, operator, beneficiary_id, amount, currency }) =>
    csvLine([id, name, account_type, operator ?? '', accounts.get(beneficiary_id) ?? '', amount, currency, id]),
  )
  const amount = inFile.reduce((sum, one) => sum + one.amount, 0)
  return { csv: csvLine(columns) + lines.join(''), settlements: inFile.length, amount }
}
