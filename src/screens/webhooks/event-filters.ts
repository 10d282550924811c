import type { ScreenRequest } from '../../console/screen.ts'
import { findOperations } from '../../listings/find-operations.ts'
import { allOf, type OperationKind } from '../../listings/listed-operation.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type IdPrefix, looksLikeId } from '../../values/ids.ts'
import { isDay, momentsOf } from '../../values/period.ts'
import { eventTypes, isEventType } from '../../webhooks/event-types.ts'
import type { EventFilters } from '../../webhooks/journal-store.ts'

type Request = ScreenRequest<'console'>

/** The most operations of one kind with the typed reference. */
const REFERENCED_MAX = 20
/** The kinds of operations with a merchant's reference. */
const referenced: readonly OperationKind[] = ['payment', 'payout', 'batch']

/** The prefixes of the resources of events. */
const subjects: readonly IdPrefix[] = ['txn', 'por', 'pob', 'cs', 'stl', 'whe']

/** The filters of the list of events in its address, each as text. An invalid value counts as absent. */
export type ChosenEvents = {
  readonly type: string
  readonly from: string
  readonly to: string
  /** The id of a resource, or the merchant's own reference. */
  readonly about: string
}

/** Reads the filters of an address. An invalid value is empty. */
export function chosenEvents({ query }: Pick<Request, 'query'>): ChosenEvents {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 255)
  const day = (name: string) => (isDay(text(name)) ? text(name) : '')
  return { type: isEventType(text('type')) ? text('type') : '', from: day('from'), to: day('to'), about: text('about') }
}

/** Converts the filters to those of the list. */
export async function eventFilters(db: Db, request: Request, chosen: ChosenEvents): Promise<EventFilters> {
  const { type, from, to, about } = chosen
  return {
    types: isEventType(type) ? [type] : eventTypes,
    subject_ids: about === '' ? null : await subjectsOf(db, request, about),
    ...momentsOf({ from, to }),
  }
}

/** Finds the resources of a typed text: one by its id, or those with a reference. */
async function subjectsOf(db: Db, { tenant }: Request, about: string): Promise<string[]> {
  if (subjects.some((prefix) => looksLikeId(prefix, about))) return [about]
  const found = await Promise.all(
    referenced.map((kind) =>
      findOperations(db, tenant, { ...allOf(kind), reference: about }, { limit: REFERENCED_MAX, after: null }),
    ),
  )
  return found.flatMap(({ rows }) => rows.map(({ id }) => id))
}
