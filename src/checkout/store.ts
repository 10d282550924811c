import type { Db, Tx } from '../platform/postgres/database.ts'
import { createTransitionWriter } from '../platform/postgres/record-transitions.ts'
import { findKeyById, given, insertRows, matching, sameRow } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { SessionRow } from './session.ts'

export type SessionKey = Tenant & { session_id: string }

/** A new session with the hash of its token. */
export type NewSession = Omit<SessionRow, 'status' | 'attempts' | 'payment_id' | 'attempt_live' | 'paid_at'> & {
  token_hash: Buffer
}

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'link_id',
  'status',
  'amount',
  'min_amount',
  'max_amount',
  'currency',
  'description',
  'reference',
  'amount_in_address',
  'return_url',
  'attempts',
  'payment_id',
  'attempt_live',
  'created_at',
  'expires_at',
  'paid_at',
]

/** Inserts the hashes of tokens, which lead to their sessions and links. */
export function insertTokens(tx: Tx, tokens: readonly (Tenant & { token_hash: Buffer; subject_id: string })[]): void {
  insertRows(tx, 'checkout_tokens', tokens)
}

/**
 * Inserts sessions and the hashes of their tokens. The transaction fails when a session exists already.
 * The rows are in key order, so that two batches with common sessions cannot deadlock.
 */
export function insertSessions(tx: Tx, sessions: readonly NewSession[]): void {
  const ordered = sessions.toSorted((one, other) => one.merchant_id - other.merchant_id || (one.id < other.id ? -1 : 1))
  insertRows(tx, 'checkout_sessions', ordered)
  insertTokens(
    tx,
    ordered.map((session) => ({ ...session, subject_id: session.id })),
  )
}

/** Returns the ids of those sessions that exist. */
export async function findSessions(tx: Tx, keys: readonly (Tenant & { id: string })[]): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select s.id
      from ${matching(tx, 'checkout_sessions s', keys, 'id')}`
  return rows.map(({ id }) => id)
}

/** The session or link of a token. Null when there is none. */
export async function findByToken(db: Db, token_hash: Buffer): Promise<(Tenant & { subject_id: string }) | null> {
  const [row] = await db<(Tenant & { subject_id: string })[]>`
    select merchant_id, livemode, subject_id
      from checkout_tokens
     where token_hash = ${token_hash}`
  return row ?? null
}

/** Finds a session by its id alone. Null when there is none. */
export const findSession = (db: Db, id: string): Promise<SessionKey | null> =>
  findKeyById(db, 'checkout_sessions', 'session_id', id)

/** One session, and whether it is past its time by the database's clock. Null when it does not exist. */
export async function readSession(db: Db, key: SessionKey): Promise<(SessionRow & { is_over: boolean }) | null> {
  const [row] = await db<(SessionRow & { is_over: boolean })[]>`
    select ${db(columns)}, expires_at <= clock_now() as is_over
      from checkout_sessions
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.session_id}`
  return row ?? null
}

/** A locked session with its number of transitions, and whether it is past its time by the database's clock. */
export type LockedSession = SessionRow & { closed_at: Date | null; transition_count: number; is_over: boolean }

function lockedColumns(tx: Tx) {
  const names = [...columns, 'closed_at', 'transition_count'].map((column) => `s.${column}`)
  return tx`${tx(names)}, s.expires_at <= clock_now() as is_over`
}

/** Locks sessions in key order until the transaction ends, so that changes of a session happen one after the other. */
export async function lockSessions(tx: Tx, keys: readonly SessionKey[]): Promise<LockedSession[]> {
  return tx<LockedSession[]>`
    select ${lockedColumns(tx)}
      from ${matching(tx, 'checkout_sessions s', keys, { id: 'session_id' })}
     order by s.merchant_id, s.livemode, s.id
       for no key update of s`
}

export type AttemptUpdate = SessionKey & { payment_id: string; attempts: number; attempt_live: boolean }

/** Writes the attempts of locked sessions. */
export async function updateAttempts(tx: Tx, updates: readonly AttemptUpdate[]): Promise<void> {
  await tx`
    update checkout_sessions s
       set payment_id = u.payment_id, attempts = u.attempts, attempt_live = u.attempt_live
      from ${given(tx, 'checkout_sessions u', updates, ['merchant_id', 'livemode', 'session_id', 'payment_id', 'attempts', 'attempt_live'])}
     where ${sameRow(tx, 's', 'u', updates, { id: 'session_id' })}`
}

/** Writes the new state of locked sessions, and one history row for each transition. */
export const updateSessions = createTransitionWriter(
  { table: 'checkout_sessions', log: 'checkout_session_transitions_log', subject: 'session_id' },
  ['payment_id', 'attempt_live', 'paid_at', 'closed_at'],
)

/**
 * Locks open sessions that are past their time and have no attempt in progress, oldest first. Skips a session that another
 * transaction has locked, because that one pays or expires it.
 */
export async function claimOverdue(tx: Tx, limit: number, merchant_id: number | null): Promise<LockedSession[]> {
  const ofMerchant = merchant_id === null ? tx`` : tx`and merchant_id = ${merchant_id}`
  return tx<LockedSession[]>`
    select ${lockedColumns(tx)}
      from checkout_sessions s
     where status = 'open' and not attempt_live and expires_at <= clock_now()
       ${ofMerchant}
     order by expires_at
     limit ${limit}
       for no key update skip locked`
}

/**
 * The merchants of the sessions that are overdue longest.
 * @param limit the number of sessions to read
 */
export async function readMerchantsOverdue(db: Db, limit: number): Promise<number[]> {
  const rows = await db<{ merchant_id: number }[]>`
    select distinct merchant_id
      from (select merchant_id
              from checkout_sessions
             where status = 'open' and not attempt_live and expires_at <= clock_now()
             order by expires_at
             limit ${limit}) longest`
  return rows.map(({ merchant_id }) => merchant_id)
}

/** The overdue sessions except these, longest overdue first, without a lock. */
export async function readOverdue(db: Db, limit: number, without: readonly string[]): Promise<SessionKey[]> {
  return db<SessionKey[]>`
    select merchant_id, livemode, id as session_id
      from checkout_sessions
     where status = 'open' and not attempt_live and expires_at <= clock_now() and id <> all(${without})
     order by expires_at
     limit ${limit}`
}

/** Locks one session. Null when it is no longer overdue, or when another transaction has locked it. */
export async function claimIfOverdue(
  tx: Tx,
  { merchant_id, livemode, session_id }: SessionKey,
): Promise<LockedSession | null> {
  const [row] = await tx<LockedSession[]>`
    select ${lockedColumns(tx)}
      from checkout_sessions s
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${session_id}
       and status = 'open' and not attempt_live and expires_at <= clock_now()
       for no key update skip locked`
  return row ?? null
}

/** Locks the open sessions of a link in key order, because closing a link closes them too. */
export async function lockOpenSessionsOf(
  tx: Tx,
  key: Tenant & { link_id: string },
  limit: number,
): Promise<LockedSession[]> {
  return tx<LockedSession[]>`
    select ${lockedColumns(tx)}
      from checkout_sessions s
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and link_id = ${key.link_id}
       and status = 'open' and not attempt_live
     order by merchant_id, livemode, id
     limit ${limit}
       for no key update`
}
