import { findOrdersByReference, type OurSide } from '../../operators/statement-orders.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type LineRow, readLinesOf } from '../import/line-store.ts'
import { type CarriedBy, type LineToMatch, type Match, matchAlone, matchGroup } from './match-lines.ts'

/** The matches of new lines, and of older ones that lose or gain an order by them. */
export type Matches = { readonly of: ReadonlyMap<string, Match>; readonly older: readonly LineRow[] }

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The reference of ours that a line carries, as sending writes it. Null: none of our form. */
export function referenceIn({ our_reference }: Pick<LineToMatch, 'our_reference'>): string | null {
  return our_reference !== null && UUID.test(our_reference) ? our_reference.toLowerCase() : null
}

/**
 * Matches lines of one mode by our references (steps 1 and 6). Reads, and writes nothing.
 * @param lines new ones, or written ones that are matched again
 */
export async function findMatches(db: Db, carried: CarriedBy, lines: readonly LineRow[]): Promise<Matches> {
  const of = new Map<string, Match>()
  const named = lines.filter((line) => isOperation(line) && referenceIn(line) !== null)
  const references = [...new Set(named.map((line) => referenceIn(line)!))]
  const orders = await findOrdersByReference(db, lines[0]?.livemode ?? true, references)
  const groups = groupsOf(orders)
  const byReference = new Map<string, Group>()
  for (const group of groups) for (const { reference } of group.orders) byReference.set(reference, group)
  for (const line of lines) {
    const group = isOperation(line) ? byReference.get(referenceIn(line) ?? '') : undefined
    if (group === undefined) of.set(line.id, matchAlone(line))
    else group.lines.push(line)
  }
  const older = await addRivals(db, groups, new Set(lines.map(({ id }) => id)))
  for (const { lines: rivals, orders: its } of groups) {
    if (rivals.length === 0) continue
    for (const [id, match] of matchGroup(carried, rivals, its, 'reference')) of.set(id, match)
  }
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
