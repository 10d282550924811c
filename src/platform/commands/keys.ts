import type { Tenant } from '../../values/caller.ts'
import type { Idempotency } from '../http/route.ts'
import type { Db, Sql, Tx } from '../postgres/database.ts'
import { PostgresError, violatedConstraint } from '../postgres/failures.ts'
import { given, insertRows, sameRow } from '../postgres/rows.ts'
import { deleteExpired, type ScanOptions } from '../postgres/upkeep/delete-expired.ts'

/** A request that wants to be the only one of its key. */
export type KeyClaim = Tenant & Idempotency

/** The result of a claim. `claimed`: the key is new; this request goes on, and no other may until the transaction ends. */
export type Claim =
  | { readonly kind: 'claimed' }
  /** Another request holds the key right now. We do not wait for it: the answer is 409 at once. */
  | { readonly kind: 'in_progress' }
  /** The same request was answered already; this is the answer, byte for byte. */
  | { readonly kind: 'replay'; readonly status: number; readonly body: string }
  /** The key was used for another request. */
  | { readonly kind: 'reused' }

/** The answer to keep for the replays of a request. */
export type StoredResponse = KeyClaim & { readonly status: number; readonly body: string }

const claimed = { kind: 'claimed' } as const

/**
 * Claims the keys of many requests in the caller's transaction and answers in their order; null (a request without a
 * key) is always claimed. A claim ends with the transaction: committed, it leaves the kept answer; rolled back or its
 * process killed, it leaves nothing and the key can be used again.
 */
export async function claimKeys(tx: Tx, claims: readonly (KeyClaim | null)[]): Promise<Claim[]> {
  const wanted = claims.flatMap((claim, at) => (claim === null ? [] : [{ ...claim, at }]))
  if (wanted.length === 0) return claims.map(() => claimed)
  // The second statement must see what was committed before our locks: it has its own snapshot, taken after them. Both
  // are on their way together all the same.
  const [held, kept] = await Promise.all([findHeld(tx, wanted), findKept(tx, wanted)])
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
    // Locks of one transaction do not exclude one another, so a key that is here twice is told apart here.
    const name = `${claim.merchant_id} ${claim.livemode} ${claim.key}`
    if (heldElsewhere.has(at) || taken.has(name)) return { kind: 'in_progress' }
    taken.add(name)
    return claimed
  })
}

/** With which the database says that a key is in use. */
const KEY_IN_USE = 'BD001'

/** Whether a transaction failed because a key that it took for new is in use or has an answer. */
export function isKeyTaken(error: unknown): boolean {
  if (error instanceof PostgresError && error.code === KEY_IN_USE) return true
  return violatedConstraint(error) === 'idempotency_keys_pkey'
}

type Wanted = KeyClaim & { readonly at: number }

const CLAIMED = ['at', 'merchant_id', 'livemode', 'key'] as const

// Tries to lock each key until the transaction ends, and returns those that another transaction holds. Trying never
// waits.
function findHeld(tx: Tx, wanted: readonly Wanted[]) {
  return tx<{ at: number }[]>`
    select w.at::integer as at
      from ${given(tx, 'idempotency_keys w', wanted, CLAIMED)}
     where not pg_try_advisory_xact_lock(key_lock(w.merchant_id, w.livemode, w.key))`
}

// The answers already kept for these keys. The lateral join makes each a look-up by primary key, whatever the planner
// believes about the size of either side.
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

/** The outcome of a request that its claim alone decides; null when the request goes on. */
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

/**
 * Keeps the answers of requests whose keys this transaction has claimed. Only answers 2xx: the database refuses others.
 * It does not wait: the rows travel with what follows, at the latest with the commit.
 */
export function storeResponses(tx: Tx, answers: readonly StoredResponse[]): void {
  insertRows(tx, 'idempotency_keys', answers)
}

/**
 * Claims keys that are taken to be new before the caller waits for locks, without waiting itself: when another request holds one, or
 * an answer is kept for it, the transaction fails at once (`isKeyTaken`), and the caller begins anew with `claimKeys`.
 */
export function claimNewKeys(tx: Tx, claims: readonly KeyClaim[]): void {
  takeNewKeys(tx, claims)
  // A statement of its own, as in claimKeys: it must see what was committed before our locks.
  tx.send(tx`
    select refuse_key_in_use()
      from ${given(tx, 'idempotency_keys r', claims, ['merchant_id', 'livemode', 'key'])}
     where exists (
           select
             from idempotency_keys i
            where ${sameRow(tx, 'i', 'r', claims, 'key')})`)
}

/**
 * Claims keys that are taken to be new, without waiting. When another request holds one the transaction fails (`isKeyTaken`); an answer
 * that is kept for one is met only when this transaction keeps its own.
 *
 * The keys are lists, which the database reads faster than JSON. Nothing stands beside them: there Citus would give each the type of
 * the first.
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

/** The answer that is kept for a key, for a page that shows what stands instead of asking again; null: there is none. */
export async function readKeptAnswer(db: Db, { merchant_id, livemode }: Tenant, key: string): Promise<string | null> {
  const [row] = await db<{ body: string }[]>`
    select body
      from idempotency_keys
     where merchant_id = ${merchant_id} and livemode = ${livemode} and key = ${key}`
  return row?.body ?? null
}

/** Drops the answers kept for longer than `days`, and returns how many. Their keys can be used again. */
export async function dropOldAnswers(sql: Sql, days: number, scan?: ScanOptions): Promise<number> {
  return deleteExpired(sql, 'idempotency_keys', sql`r.created_at < clock_now() - make_interval(days => ${days})`, scan)
}
