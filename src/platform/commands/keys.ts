import { rowKey, type Tenant } from '../../values/caller.ts'
import type { Idempotency } from '../http/call.ts'
import type { Db, Sql, Tx } from '../postgres/database.ts'
import { PostgresError, violatedConstraint } from '../postgres/failures.ts'
import { inOrder } from '../postgres/in-order.ts'
import { given, insertRows, sameRow } from '../postgres/rows.ts'
import { deleteExpired, type ScanOptions } from '../postgres/upkeep/delete-expired.ts'
import { defineEffect } from './effects.ts'

/** A request's claim on its idempotency key. */
export type KeyClaim = Tenant & Idempotency

/**
 * The result of a claim. `claimed`: the key is new. This request goes on; no other request with the key may, until the
 * transaction ends.
 */
export type Claim =
  | { readonly kind: 'claimed' }
  /** Another request holds the key. We do not wait for it and answer 409 at once. */
  | { readonly kind: 'in_progress' }
  /** The same request was already answered. This is the answer, byte for byte. */
  | { readonly kind: 'replay'; readonly status: number; readonly body: string }
  /** The key was used for a different request. */
  | { readonly kind: 'reused' }

/** An answer to store for replays. */
export type StoredResponse = KeyClaim & { readonly status: number; readonly body: string }

const claimed = { kind: 'claimed' } as const

/**
 * Claims the keys of many requests in the caller's transaction. Returns one result for each request, in order; a
 * request without a key (null) is always claimed. A claim ends with the transaction. After a commit the stored answer
 * remains. After a rollback, or when the process dies, nothing remains and the key can be used again.
 */
export async function claimKeys(tx: Tx, claims: readonly (KeyClaim | null)[]): Promise<Claim[]> {
  const wanted = claims.flatMap((claim, at) => (claim === null ? [] : [{ ...claim, at }]))
  if (wanted.length === 0) return claims.map(() => claimed)
  const [held, kept] = await inOrder([findHeld(tx, wanted), findKept(tx, wanted)])
  const heldElsewhere = new Set(held.map(({ at }) => at))
  const keptAt = new Map(kept.map((row) => [row.at, row]))
  const taken = new Set<string>()

  return claims.map((claim, at): Claim => {
    if (claim === null) return claimed
    const row = keptAt.get(at)
    if (row !== undefined) {
      return row.fingerprint.equals(claim.fingerprint)
        ? { kind: 'replay', status: row.status, body: row.body }
        : { kind: 'reused' }
    }
    // A transaction's locks do not exclude one another, so a key that occurs twice in this batch is detected here.
    const name = rowKey(claim, claim.key)
    if (heldElsewhere.has(at) || taken.has(name)) return { kind: 'in_progress' }
    taken.add(name)
    return claimed
  })
}

/** The SQLSTATE that `refuse_key_in_use` raises. */
const KEY_IN_USE = 'BD001'

/** Whether a transaction failed because a key assumed to be new is in use or already has an answer. */
export function isKeyTaken(error: unknown): boolean {
  if (error instanceof PostgresError && error.code === KEY_IN_USE) return true
  return violatedConstraint(error) === 'idempotency_keys_pkey'
}

type Wanted = KeyClaim & { readonly at: number }

const CLAIMED = ['at', 'merchant_id', 'livemode', 'key'] as const

// Tries to lock each key until the transaction ends, without waiting. Returns the keys that another transaction holds.
function findHeld(tx: Tx, wanted: readonly Wanted[]) {
  return tx<{ at: number }[]>`
    select w.at::integer as at
      from ${given(tx, 'idempotency_keys w', wanted, CLAIMED)}
     where not pg_try_advisory_xact_lock(key_lock(w.merchant_id, w.livemode, w.key))`
}

// Reads the stored answers of these keys. The lateral join forces one primary-key look-up for each key, whatever the
// planner estimates.
function findKept(tx: Tx, wanted: readonly Wanted[]) {
  return tx<{ at: number; fingerprint: Buffer; status: number; body: string }[]>`
    select w.at::integer as at, k.fingerprint, k.status, k.body
      from ${given(tx, 'idempotency_keys w', wanted, CLAIMED)}
     cross join lateral (
           select i.fingerprint, i.status, i.body
             from idempotency_keys i
            where ${sameRow(tx, 'i', 'w', wanted, 'key')}
            limit 1) as k`
}

/** The outcome when the claim alone decides it, or null when the request goes on. */
export function replayOrConflict(
  claim: Claim,
):
  | { kind: 'replayed'; status: number; text: string }
  | { kind: 'refused'; code: 'idempotency_in_progress' | 'idempotency_key_reused' }
  | null {
  switch (claim.kind) {
    case 'replay':
      return { kind: 'replayed', status: claim.status, text: claim.body }
    case 'in_progress':
      return { kind: 'refused', code: 'idempotency_in_progress' }
    case 'reused':
      return { kind: 'refused', code: 'idempotency_key_reused' }
    case 'claimed':
      return null
  }
}

/** Stores the answers of requests whose keys this transaction has claimed. The database accepts only 2xx answers. */
export function storeResponses(tx: Tx, answers: readonly StoredResponse[]): void {
  insertRows(tx, 'idempotency_keys', answers)
}

/** The same as an effect, for an act of a person. */
export const keepAnswer = defineEffect<StoredResponse>('new row', storeResponses)

/** Claims one key in the caller's transaction. Null: it is new, and the request goes on. */
export async function claimKey(tx: Tx, claim: KeyClaim) {
  const [claimed] = await claimKeys(tx, [claim])
  return replayOrConflict(claimed!)
}

/**
 * Claims keys that are assumed to be new, before the caller waits for locks. When another request holds
 * a key, or an answer is stored for it, the transaction fails at once (`isKeyTaken`) and the caller starts again with
 * `claimKeys`.
 */
export function claimNewKeys(tx: Tx, claims: readonly KeyClaim[]): void {
  takeNewKeys(tx, claims)
  // A separate statement, as in claimKeys, so that it sees what was committed before we got the locks.
  tx.send(tx`
    select refuse_key_in_use()
      from ${given(tx, 'idempotency_keys r', claims, ['merchant_id', 'livemode', 'key'])}
     where exists (
           select
             from idempotency_keys i
            where ${sameRow(tx, 'i', 'r', claims, 'key')})`)
}

/**
 * Claims keys that are assumed to be new. When another request holds a key, the transaction fails
 * (`isKeyTaken`). An answer already stored for a key is noticed only when this transaction stores its own.
 *
 * The keys are sent as arrays, which the database reads faster than JSON. The query has no other parameters: Citus
 * would give each parameter the type of the first.
 */
export function takeNewKeys(tx: Tx, claims: readonly KeyClaim[]): void {
  const merchants = claims.map(({ merchant_id }) => merchant_id)
  const modes = claims.map(({ livemode }) => livemode)
  const keys = claims.map(({ key }) => key)
  tx.send(tx`
    select r.key
      from unnest(${merchants}::bigint[], ${modes}::boolean[], ${keys}::text[]) as r(merchant_id, livemode, key)
     where not claim_new_key(r.merchant_id, r.livemode, r.key)`)
}

/** The stored answer of a key, or null. A page uses it to show the existing result instead of repeating the request. */
export async function readKeptAnswer(db: Db, { merchant_id, livemode }: Tenant, key: string): Promise<string | null> {
  const [row] = await db<{ body: string }[]>`
    select body
      from idempotency_keys
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key = ${key}`
  return row?.body ?? null
}

/** Deletes the answers older than `days` days and returns their number. Their keys can be used again. */
export async function dropOldAnswers(sql: Sql, days: number, scan?: ScanOptions): Promise<number> {
  return deleteExpired(sql, 'idempotency_keys', sql`r.created_at < clock_now() - make_interval(days => ${days})`, scan)
}
