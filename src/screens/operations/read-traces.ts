import { type EntryOfSubject, readEntriesOf } from '../../ledger/store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type LoggedRequest, readCallThatMade } from '../../request-log/store.ts'
import type { Tenant } from '../../values/caller.ts'
import { type EventAbout, readEventsAbout } from '../../webhooks/journal-store.ts'

/** The traces of an operation: the call that made it, its entries, and its events. */
export type Traces = {
  /** Null when no call made it, or the log no longer has the call. */
  readonly call: Pick<
    LoggedRequest,
    'request_id' | 'key_id' | 'method' | 'path' | 'status' | 'duration_ms' | 'requested_at'
  > | null
  readonly entries: readonly EntryOfSubject[]
  readonly events: readonly EventAbout[]
}

/**
 * Reads the traces of one operation of a merchant, each by one query.
 * @param made the resource in the answer of the call, and its creation: the operation itself, or the session or request from which it came.
 * Null: no call made it
 */
export async function readTraces(
  db: Db,
  tenant: Tenant,
  subject_id: string,
  made: { subject_id: string; made_at: Date } | null,
): Promise<Traces> {
  const [call, entries, events] = await Promise.all([
    made === null ? null : readCallThatMade(db, tenant, made),
    readEntriesOf(db, tenant, subject_id),
    readEventsAbout(db, tenant, subject_id),
  ])
  if (call === null) return { call, entries, events }
  const { request_id, key_id, method, path, status, duration_ms, requested_at } = call
  return { call: { request_id, key_id, method, path, status, duration_ms, requested_at }, entries, events }
}
