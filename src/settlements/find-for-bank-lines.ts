import { readAccounts } from '../beneficiaries/store.ts'
import { eachShard } from '../platform/each-shard.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Known, namedIn } from './match-bank-lines.ts'
import type { BankLine } from './read-bank-lines.ts'
import * as store from './store.ts'

/** Settlements to be paid that lines without our reference are held against, the oldest. */
const VALIDATED_MAX = 1_000

/** Reads the settlements of one mode that lines of a bank's file may be about. Whole accounts are compared here and shown nowhere. */
export async function readKnown(sql: Sql, livemode: boolean, lines: readonly BankLine[]): Promise<Known> {
  const ids = [...new Set(lines.flatMap(namedIn))]
  const references = lines.flatMap(({ reference }) => (reference === null ? [] : [reference]))
  const wanted = { livemode, status: 'validated', merchant_id: null, after: null, limit: VALIDATED_MAX } as const
  const [validated, named, paid_with] = await Promise.all([
    store.readList(sql, wanted),
    ids.length === 0 ? [] : store.findSettlements(sql, livemode, ids),
    references.length === 0 ? [] : store.findAllPaidWith(sql, livemode, references),
  ])
  const all = [...new Map([...validated, ...named].map((one) => [one.id, one])).values()]
  const keys = all
    .filter(({ status }) => status === 'validated')
    .map(({ merchant_id, beneficiary_id: id }) => ({ merchant_id, livemode, id }))
  const accounts = new Map((await eachShard(sql, keys, (some) => readAccounts(sql, some))).flat())
  const payable = all.map((settlement) => ({ settlement, account: accounts.get(settlement.beneficiary_id) ?? null }))
  return { payable, paid_with }
}
