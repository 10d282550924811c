import { readAccounts, readDestinationsToday } from '../../beneficiaries/destination-store.ts'
import type { Clock } from '../../platform/clock.ts'
import { csvLine } from '../../platform/csv-line.ts'
import { eachShard } from '../../platform/each-shard.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import { destinationKey, type SettlementRow } from '../settlement.ts'
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

/** The most settlements among which those for a file are chosen. */
const CHOSEN_AMONG = 1_000

/** Validated settlements whose accounts nobody has taken. */
export type ToOrder = {
  /** Those to the merchant's destination, for the next file. */
  readonly ready: readonly SettlementRow[]
  /** Those whose destination is no longer the merchant's. A person asks the merchant, and then takes each alone or rejects it. */
  readonly held_back: readonly SettlementRow[]
}

/** Reads the transfers of one mode that are to be ordered, oldest first, by the current state of their destinations. */
export async function readToOrder(sql: Sql, livemode: boolean): Promise<ToOrder> {
  const rows = await store.readToTransfer(sql, { livemode, taken_at: null, limit: CHOSEN_AMONG })
  const keys = rows.map(destinationKey)
  const today = new Map((await eachShard(sql, keys, (some) => readDestinationsToday(sql, some))).flat())
  const { ready = [], held_back = [] } = Object.groupBy(rows, ({ beneficiary_id }) =>
    today.get(beneficiary_id) === 'designated' ? 'ready' : 'held_back',
  )
  return { ready, held_back }
}

/**
 * Writes validated settlements of one mode as a file for the bank, oldest first, at most 200. Only here does the desk give whole
 * accounts, and marks the settlements first (`takeAccounts`). The person copies `label` into the transfer, so that the bank's file can be matched.
 *
 * A settlement is in one new file only: a transfer that stands in two files may be ordered twice. A person who lost a file takes the same
 * one again. A settlement whose destination changed after its validation is in no new file with others.
 * @param taken_at null: the settlements whose accounts nobody has taken. A time: those whose accounts were taken exactly then
 * @param alone the id of one settlement that was held back, for a file with this transfer alone
 * @returns the file without lines when there is nothing to transfer, also because somebody else took it a moment ago
 */
export async function writeBankFile(
  { sql, clock }: { sql: Sql; clock: Clock },
  livemode: boolean,
  taken_at: Date | null,
  by: Actor,
  alone: string | null = null,
): Promise<BankFile> {
  const wanted =
    taken_at === null
      ? await readNew(sql, livemode, alone)
      : await store.readToTransfer(sql, { livemode, taken_at, limit: FILE_MAX })
  const only_designated = taken_at === null && alone === null
  const taking = { act: 'settlement.bank_file', by, at: clock.now(), taken_before: taken_at, only_designated } as const
  const taken = await eachShard(sql, wanted, (some) => takeAccounts(sql, some, taking))
  const ids = new Set(taken.flat().map(({ id }) => id))
  const inFile = wanted.filter(({ id }) => ids.has(id))
  const keys = inFile.map(destinationKey)
  const accounts = new Map((await eachShard(sql, keys, (some) => readAccounts(sql, some))).flat())
  const lines = inFile.map(({ id, name, account_type, operator, beneficiary_id, amount, currency }) =>
    csvLine([id, name, account_type, operator ?? '', written(accounts.get(beneficiary_id)), amount, currency, id]),
  )
  const amount = inFile.reduce((sum, one) => sum + one.amount, 0)
  return { csv: csvLine(columns) + lines.join(''), settlements: inFile.length, amount }
}

async function readNew(sql: Sql, livemode: boolean, alone: string | null): Promise<readonly SettlementRow[]> {
  const { ready, held_back } = await readToOrder(sql, livemode)
  return alone === null ? ready.slice(0, FILE_MAX) : held_back.filter(({ id }) => id === alone)
}

/** A number without its plus sign: before a sign, `csvLine` would write an apostrophe, which a bank's import refuses. */
function written(account = ''): string {
  return account.replace(/^\+/, '')
}
