import { type EntryOfSubject, readEntriesOf } from '../../ledger/store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type LoggedRequest, readCallThatMade } from '../../request-log/store.ts'
import type { Tenant } from '../../values/caller.ts'
import { type EventAbout, readEventsAbout } from '../../webhooks/journal-store.ts'

/** Traces of an operation in the other books: the call that made it, what was booked, and what its merchant was told. */
export type Traces = {
  /** Null: no call made it, or the log no longer has it. */
  readonly call: Pick<
    LoggedRequest,
    'request_id' | 'key_id' | 'method' | 'path' | 'status' | 'duration_ms' | 'requested_at'
  > | null
  readonly entries: readonly EntryOfSubject[]
  readonly events: readonly EventAbout[]
}

/**
 * Reads the traces of one operation of a merchant, each by one query.
 * @param made the resource that the call answered with, and when it was made: the operation itself, or the session or the request that
 * it came of. Null: no call made it
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
