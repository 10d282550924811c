import { findOrdersByNumber, findOrdersByReference } from '../../operators/statement-orders.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { firstIdAt, type IdPrefix } from '../../values/ids.ts'
import * as store from '../import/line-store.ts'
import type { FileRow, StatementAccount } from '../import/statement-file.ts'
import { addRivals, findMatches, groupsOf } from './find-matches.ts'
import { type CarriedBy, matchGroup } from './match-lines.ts'

type FileOfLines = Pick<FileRow, 'id' | 'account' | 'livemode'> & {
  readonly first_day: string | null
  readonly last_day: string | null
}

const PAGE = 5_000
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
  const numbered = new Map<string, Awaited<ReturnType<typeof findOrdersByNumber>>[number]>()
  for (let at = from; at < until; at += SLICE_MS) {
    const ranges = kinds.map((kind) => ({
      from: firstIdAt(kind, at),
      before: firstIdAt(kind, Math.min(at + SLICE_MS, until)),
    }))
    for (const order of await findOrdersByNumber(sql, { connectors: [connector], numbers, ranges }))
      numbered.set(`${order.direction === 'collect' ? 'in' : 'out'} ${order.number}`, order)
  }
  const groups = groupsOf([...new Set(numbered.values())])
  if (groups.length === 0) return
  const groupOf = new Map(groups.flatMap((group) => group.orders.map((order) => [order.subject_id, group] as const)))
  for (const line of lines) {
    const order = numbered.get(`${line.direction} ${line.reference}`)
    if (order !== undefined) groupOf.get(order.subject_id)!.lines.push(line)
  }
  await sql.begin(async (tx) => {
    const older = await addRivals(tx, groups, new Set(lines.map(({ id }) => id)))
    writeMatches(tx, carried, groups, [...lines, ...older], 'number')
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
      const locked = await store.lockLines(tx, lines)
      const { of, older } = await findMatches(tx, carried, locked)
      const both = [...locked, ...older].filter((line) => of.has(line.id) && !store.isSameMatch(line, of.get(line.id)!))
      store.updateLines(
        tx,
        both.map((line) => ({ ...line, ...of.get(line.id)! })),
      )
    })
  }
  return ended.length
}

/** Matches again the orders that several lines name, now that all lines of the file are written: chunks that were written at once did not see one another. */
export async function settleContested(tx: Tx, carried: CarriedBy, file: FileOfLines): Promise<void> {
  const subjects = await store.findContested(tx, { ...file, first_day: file.first_day!, last_day: file.last_day! })
  if (subjects.length === 0) return
  const lines = await store.readLinesOf(tx, subjects)
  const groups = groupsOf(await ordersOf(tx, lines))
  const older = await addRivals(tx, groups, new Set())
  writeMatches(tx, carried, groups, older, 'reference')
}

/** The orders that lines name by our reference, with the refunds of collections. */
function ordersOf(db: Db, lines: readonly store.LineRow[]) {
  const references = lines
    .filter(({ matched_by }) => matched_by === 'reference')
    .map(({ our_reference }) => our_reference!.toLowerCase())
  return findOrdersByReference(db, lines[0]?.livemode ?? true, [...new Set(references)])
}

function writeMatches(
  tx: Tx,
  carried: CarriedBy,
  groups: ReturnType<typeof groupsOf>,
  lines: readonly store.LineRow[],
  by: 'reference' | 'number',
): void {
  const byId = new Map(lines.map((line) => [line.id, line]))
  const changed: store.LineRow[] = []
  for (const { lines: rivals, orders } of groups) {
    if (rivals.length === 0) continue
    for (const [id, match] of matchGroup(carried, rivals, orders, by)) {
      const line = byId.get(id)!
      const kept = { ...match, matched_by: line.matched_by ?? by }
      if (!store.isSameMatch(line, kept)) changed.push({ ...line, ...kept })
    }
  }
  store.updateLines(tx, changed)
}
