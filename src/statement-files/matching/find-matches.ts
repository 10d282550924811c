import { findOrders, type OurSide } from '../../operators/statement-orders.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type LineRow, readLinesOf } from '../import/line-store.ts'
import { type CarriedBy, type LineToMatch, type Match, matchAlone, matchGroup, referenceIn } from './match-lines.ts'

/** The matches of new lines, and of older ones that lose or gain an order by them. */
export type Matches = { readonly of: ReadonlyMap<string, Match>; readonly older: readonly LineRow[] }

/**
 * Matches lines of one mode by our references (steps 1 and 6), and those that a number had matched by that order again. Reads, and writes nothing.
 * @param lines new ones, or written ones that are matched again: an order that such a line loses goes to the next line
 */
export async function findMatches(db: Db, carried: CarriedBy, lines: readonly LineRow[]): Promise<Matches> {
  const of = new Map<string, Match>()
  const references = lines.filter(isOperation).map(referenceIn)
  const subjects = lines.map(({ subject_id }) => subject_id)
  const orders = await findOrders(db, lines[0]?.livemode ?? true, {
    references: [...new Set(references.filter((one) => one !== null))],
    subjects: [...new Set(subjects.filter((one) => one !== null))],
  })
  const groups = groupsOf(orders)
  const byName = new Map<string, Group>()
  for (const group of groups)
    for (const { reference, subject_id } of group.orders) byName.set(reference, group).set(subject_id, group)
  for (const line of lines) {
    const group = isOperation(line) ? byName.get(referenceIn(line) ?? line.subject_id ?? '') : undefined
    if (group === undefined) of.set(line.id, matchAlone(line))
    else group.lines.push(line)
  }
  const older = await addRivals(db, groups, new Set(lines.map(({ id }) => id)))
  for (const { lines: rivals, orders: its } of groups)
    for (const [id, match] of matchGroup(carried, rivals, its)) of.set(id, match)
  return { of, older }
}

/** The orders that stand or fall together: one order, or a collection and its refunds. */
export type Group = { readonly orders: readonly OurSide[]; readonly lines: LineToMatch[] }

export function groupsOf(orders: readonly OurSide[]): Group[] {
  const byRoot = Map.groupBy(orders, ({ direction, collection, reference }) =>
    direction === 'refund' ? (collection ?? reference) : reference,
  )
  return [...byRoot.values()].map((its) => ({ orders: its, lines: [] }))
}

/** Adds to the groups the written lines that name their orders. Returns these lines. */
export async function addRivals(db: Db, groups: readonly Group[], besides: ReadonlySet<string>): Promise<LineRow[]> {
  const bySubject = new Map(
    groups.flatMap((group) => group.orders.map(({ subject_id }) => [subject_id, group] as const)),
  )
  const written = (await readLinesOf(db, [...bySubject.keys()])).filter(({ id }) => !besides.has(id))
  for (const line of written) bySubject.get(line.subject_id!)!.lines.push(line)
  return written
}

function isOperation({ class: its }: LineToMatch): boolean {
  return its === 'operation'
}
