import { readAccounts } from '../../beneficiaries/destination-store.ts'
import { eachShard } from '../../platform/each-shard.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import * as store from '../store.ts'
import { namedIn } from './line-keys.ts'
import type { Known } from './line-match.ts'
import type { BankLine } from './read-lines.ts'

/** The most settlements that lines are compared with: validated ones, oldest first, and paid ones, newest first. */
const VALIDATED_MAX = 1_000
const PAID_MAX = 10_000

/** Reads the settlements of one mode that lines of a bank's file may be about. The result has whole accounts for the comparison; no page shows them. */
export async function readKnown(sql: Sql, livemode: boolean, lines: readonly BankLine[]): Promise<Known> {
  const ids = [...new Set(lines.flatMap(namedIn))]
  const references = lines.flatMap(({ reference }) => (reference === null ? [] : [reference]))
  const all = { livemode, merchant_id: null, after: null } as const
  const mayNamePaid = lines.some(({ direction }) => direction === 'in')
  const [listed, paid_lately, named, paid_with] = await Promise.all([
    store.readList(sql, { ...all, status: 'validated', limit: VALIDATED_MAX + 1 }),
    mayNamePaid ? store.readList(sql, { ...all, status: 'paid', limit: PAID_MAX }) : [],
    ids.length === 0 ? [] : store.findSettlements(sql, livemode, ids),
    references.length === 0 ? [] : store.findAllPaidWith(sql, livemode, references),
  ])
  const validated = listed.slice(0, VALIDATED_MAX)
  const held = [...new Map([...validated, ...named].map((one) => [one.id, one])).values()]
  const payable = held.filter(({ status }) => status === 'validated')
  const keys = payable.map(({ merchant_id, beneficiary_id: id }) => ({ merchant_id, livemode, id }))
  const sums = new Set(lines.map(({ amount }) => amount))
  const alike = payable
    .filter(({ amount }) => sums.has(amount))
    .map(({ merchant_id, amount }) => ({ merchant_id, livemode, amount }))
  const [accountEntries, paid_before] = await Promise.all([
    eachShard(sql, keys, (some) => readAccounts(sql, some)),
    eachShard(sql, alike, (some) => store.readPaidAlike(sql, some, PAID_MAX)),
  ])
  const accounts = new Map(accountEntries.flat())
  return {
    payable: held.map((settlement) => ({ settlement, account: accounts.get(settlement.beneficiary_id) ?? null })),
    paid_with,
    paid_lately,
    paid_before: paid_before.flat(),
    cut: listed.length > VALIDATED_MAX || paid_before.some((some) => some.length >= PAID_MAX),
  }
}
