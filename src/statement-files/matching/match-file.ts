import { findOrders, findOrdersByNumber, type OurSide } from '../../operators/statement-orders.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { firstIdAt, type IdPrefix } from '../../values/ids.ts'
import { holdFile } from '../import/file-store.ts'
import * as store from '../import/line-store.ts'
import type { FileRow, StatementAccount } from '../import/statement-file.ts'
import { addRivals, findMatches, type Group, groupsOf } from './find-matches.ts'
import { type CarriedBy, type Match, matchGroup } from './match-lines.ts'

type FileOfLines = Pick<FileRow, 'id' | 'account' | 'livemode'> & {
  readonly first_day: string | null
  readonly last_day: string | null
}

const PAGE = 5_000
/** The operations that are settled at once. */
const SUBJECTS = 1_000
const HOUR_MS = 3_600_000
/** An operator moves money at most so long after the order was asked for, if a line may find it by its number alone. */
const MOVED_WITHIN_MS = 26 * HOUR_MS
const SLICE_MS = 6 * HOUR_MS
const kinds: readonly IdPrefix[] = ['txn', 'por', 'rfd']

/** Matches lines that carry no reference of ours by the operator's own number (step 2), which it told us at a send or in a callback. */
export async function matchByNumber(
  sql: Sql,
  carried: CarriedBy,
  account: StatementAccount,
  file: FileOfLines,
): Promise<void> {
  if (account.connector === null) return
  const days = { ...file, first_day: file.first_day!, last_day: file.last_day! }
  for (let after: store.LinePlace | null = null; ; ) {
    const from = after
    const lines: readonly store.LineRow[] = await sql.begin(async (tx) => {
      // Where every line names an order by our reference, one statement walks the whole file.
      await tx`set local statement_timeout = '2min'`
      return store.readNumbered(tx, days, from, PAGE)
    })
    const last = lines.at(-1)
    if (last === undefined) return
    await matchPage(sql, carried, account.connector, lines)
    await holdFile(sql, file.id)
    after = { day: last.day, id: last.id }
  }
}

async function matchPage(
  sql: Sql,
  carried: CarriedBy,
  connector: string,
  lines: readonly store.LineRow[],
): Promise<void> {
  const times = lines.map(({ occurred_at }) => occurred_at!.getTime())
  const numbers = [...new Set(lines.map(({ reference }) => reference!))]
  const [from, until] = [Math.min(...times) - MOVED_WITHIN_MS, Math.max(...times) + HOUR_MS]
  const found = new Map<string, OurSide>()
  for (let at = from; at < until; at += SLICE_MS) {
    const ranges = kinds.map((kind) => ({
      from: firstIdAt(kind, at),
      before: firstIdAt(kind, Math.min(at + SLICE_MS, until)),
    }))
    for (const order of await findOrdersByNumber(sql, { connectors: [connector], numbers, ranges }))
      found.set(`${order.direction === 'collect' ? 'in' : 'out'} ${order.number}`, order)
  }
  if (found.size === 0) return
  await sql.begin(async (tx) => {
    // Others may have matched or changed a line since it was read.
    const locked = (await store.lockLines(tx, lines)).filter(({ kind }) => kind === 'missing_here')
    const subjects = [...found.values()].map(({ subject_id }) => subject_id)
    const groups = groupsOf(await findOrders(tx, lines[0]!.livemode, { subjects }))
    const groupOf = new Map(groups.flatMap((group) => group.orders.map((order) => [order.subject_id, group] as const)))
    for (const line of locked) {
      const order = found.get(`${line.direction} ${line.reference}`)
      if (order !== undefined) groupOf.get(order.subject_id)?.lines.push(line)
    }
    const older = await addRivals(tx, groups, new Set(locked.map(({ id }) => id)))
    writeMatches(tx, carried, groups, [...locked, ...older])
  })
}

/** Matches again the lines whose orders have ended since. Returns their number. */
export async function matchEnded(
  sql: Sql,
  readCarried: (db: Db, livemode: boolean) => Promise<CarriedBy>,
): Promise<number> {
  const ended = await store.readEnded(sql)
  for (const [livemode, lines] of Map.groupBy(ended, (line) => line.livemode)) {
    const carried = await readCarried(sql, livemode)
    await sql.begin(async (tx) => {
      await rematchLines(tx, carried, lines)
    })
  }
  return ended.length
}

/** Matches written lines again, and the lines of orders that they lose. */
export async function rematchLines(
  tx: Tx,
  carried: CarriedBy,
  names: Parameters<typeof store.lockLines>[1],
): Promise<void> {
  const locked = (await store.lockLines(tx, names)).filter(({ state }) => state !== 'withdrawn')
  const { of, older } = await findMatches(tx, carried, locked)
  store.updateLines(tx, [], changedOf([...locked, ...older], of))
}

/** Matches again the orders that several lines name, now that all lines of the file are written: chunks that were written at once did not see one another. */
export async function settleContested(tx: Tx, carried: CarriedBy, file: FileOfLines): Promise<void> {
  const subjects = await store.findContested(tx, { ...file, first_day: file.first_day!, last_day: file.last_day! })
  await settleOrders(tx, carried, file.livemode, subjects)
}

/** Matches again all lines about these operations. */
export async function settleOrders(
  tx: Tx,
  carried: CarriedBy,
  livemode: boolean,
  subjects: readonly string[],
): Promise<void> {
  for (let at = 0; at < subjects.length; at += SUBJECTS) {
    const part = subjects.slice(at, at + SUBJECTS)
    const groups = groupsOf(await findOrders(tx, livemode, { subjects: part }))
    const older = await addRivals(tx, groups, new Set())
    writeMatches(tx, carried, groups, older)
  }
}

function writeMatches(tx: Tx, carried: CarriedBy, groups: readonly Group[], lines: readonly store.LineRow[]): void {
  const matches = groups.flatMap(({ lines: rivals, orders }) => [...matchGroup(carried, rivals, orders)])
  store.updateLines(tx, [], changedOf(lines, new Map(matches)))
}

/** The lines whose match differs from the written one. */
function changedOf(lines: readonly store.LineRow[], of: ReadonlyMap<string, Match>): store.LineRow[] {
  return lines.flatMap((line) => {
    const match = of.get(line.id)
    return match === undefined || store.isSameMatch(line, match) ? [] : [{ ...line, ...match }]
  })
}
