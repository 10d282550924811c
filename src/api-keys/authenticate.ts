import { timingSafeEqual } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { createReadThroughCache } from '../platform/postgres/read-through-cache.ts'
import type { Caller } from '../values/caller.ts'
import { type AddressBlock, isWithin, parseAddress, parseAddressBlock, parseAddressBlocks } from './address-blocks.ts'
import { KEY_LENGTH_MAX, keyDigest, keyIdIn } from './key-format.ts'
import { createKeyNotes } from './note-keys.ts'
import type { KeyStatus } from './states.ts'
import {
  type AddressRefusal,
  type KeyUse,
  type StoredKey,
  selectKeys,
  updateLastRefusals,
  updateLastUses,
} from './store.ts'

export type Authentication =
  | { readonly kind: 'authenticated'; readonly caller: Caller }
  | {
      readonly kind: 'refused'
      readonly code: 'authentication_required' | 'invalid_api_key'
      /** Replaces the usual sentence of the code. */
      readonly message?: string
    }

/** The most keys, and the most unknown ids, in memory. */
const KEYS_KEPT_MAX = 100_000
const UNKNOWN_KEPT_MAX = 10_000

/**
 * Milliseconds from a call with a key to its refusal, whatever the reason. A key that is not in memory needs a read of the database, and
 * others do not. Without the delay the difference would reveal the ids that exist.
 */
export const REFUSAL_MS = 5

// A text that cannot be a key takes as long as a key, so that the time reveals nothing: we look up an id that no key has, and compare
// the text with this digest and these addresses.
const NOBODY_ID = '0'.repeat(13)
const NOBODY_DIGEST = Buffer.alloc(32)
const nobodysBlocks = parseAddressBlocks(['192.0.2.0/24'])!

const missing: Authentication = { kind: 'refused', code: 'authentication_required' }
const invalid: Authentication = { kind: 'refused', code: 'invalid_api_key' }
/** The answer to the holder of a key, who knows its secret and calls from where it may be used. */
const waiting: Authentication = {
  ...invalid,
  message:
    'This key waits for its second person. It works once another person of your team has confirmed it in the console, under Keys.',
}

/** Milliseconds after the last recorded call of a key until the next one is recorded: one write a minute for each key. */
const NOTED_AFTER_MS = 60_000

/** A key in memory, with everything that does not depend on the request. */
type KnownKey = {
  readonly digest: Buffer
  readonly status: KeyStatus
  /** The time of the last recorded call, in milliseconds since 1970. */
  noted_at: number
  readonly restricted: boolean
  readonly blocks: readonly AddressBlock[]
  readonly caller: Caller
  readonly authenticated: Authentication
}

/**
 * Finds the caller from the `Authorization` header and the address of the call. A key in memory is answered at once, without a promise.
 * Revocation, confirmation, a changed list of addresses and a deactivated merchant take effect within a second in every process. Unknown,
 * revoked and malformed keys and refused addresses get the same answer after the same time and the same work. A key that waits for its second
 * person gets another sentence.
 */
export function createAuthenticator({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): {
  /** @throws when the key is not in memory and the database does not answer */
  authenticate(authorization: string | undefined, address: string): Authentication | Promise<Authentication>
  /** Writes the refused addresses and the calls that are not recorded yet. */
  close(): Promise<void>
} {
  const refusals = createKeyNotes<AddressRefusal>({ sql, log, what: 'address refusals' }, updateLastRefusals)
  const uses = createKeyNotes<KeyUse>({ sql, log, what: 'uses of keys' }, updateLastUses)
  const findKey = createReadThroughCache<string, KnownKey>({
    async load(keyIds) {
      const found = new Map((await selectKeys(sql, keyIds)).map((row) => [row.key_id, knownKey(row)]))
      return keyIds.map((keyId) => found.get(keyId) ?? null)
    },
    max_entries: KEYS_KEPT_MAX,
    max_missing_entries: UNKNOWN_KEPT_MAX,
  })

  /**
   * Decides on one call. A valid key without a list of addresses is accepted at once. For every other key the address is compared too,
   * whatever its fault, so that a refused address takes no more work than the other refusals.
   */
  function judge(sent: string, wellFormed: boolean, key: KnownKey | null, address: string): Authentication {
    const same = timingSafeEqual(keyDigest(sent), key?.digest ?? NOBODY_DIGEST)
    const good = key !== null && same && wellFormed && key.status === 'active'
    if (good && !key.restricted) return admit(key, address)
    const from = parseAddress(address)
    const allowed = from !== null && isWithin(from, key?.restricted ? key.blocks : nobodysBlocks)
    if (!good)
      return same && wellFormed && key?.status === 'to_confirm' && (allowed || !key.restricted) ? waiting : invalid
    if (allowed) return admit(key, address)
    if (from !== null) {
      const { merchant_id, livemode, key_id } = key.caller
      // After the refusal is sent.
      setImmediate(() =>
        refusals.record({ merchant_id, livemode, key_id, address: from.toString(), refused_at: clock.now() }),
      )
    }
    return invalid
  }

  /**
   * Accepts a caller, and records the call unless one was recorded within a minute. Processes see each other's records when they read the
   * key again.
   */
  function admit(key: KnownKey, address: string): Authentication {
    const now = clock.milliseconds()
    if (now - key.noted_at >= NOTED_AFTER_MS) {
      key.noted_at = now
      const { merchant_id, livemode, key_id } = key.caller
      const from = parseAddress(address)
      if (from !== null)
        uses.record({ merchant_id, livemode, key_id, address: from.toString(), used_at: new Date(now) })
    }
    return key.authenticated
  }

  return {
    authenticate(authorization, address) {
      const token = bearerToken(authorization)
      if (token === null) return missing
      const sent = token.slice(0, KEY_LENGTH_MAX)
      const keyId = keyIdIn(sent)
      const key = findKey(keyId ?? NOBODY_ID)
      if (key instanceof Promise) {
        // The time of a refusal counts from here, before the database is asked.
        const refusalTime = wait(REFUSAL_MS)
        return key.then((found) => refuseInTime(judge(sent, keyId !== null, found, address), refusalTime))
      }
      const answer = judge(sent, keyId !== null, key, address)
      return answer.kind === 'refused' ? refuseInTime(answer, wait(REFUSAL_MS)) : answer
    },
    async close() {
      // A refusal of this turn of the event loop is recorded in the next one.
      await new Promise((resolve) => setImmediate(resolve))
      await refusals.close()
      await uses.close()
    },
  }
}

async function refuseInTime(answer: Authentication, refusalTime: Promise<void>): Promise<Authentication> {
  if (answer.kind === 'refused') await refusalTime
  return answer
}

/** The text after `Bearer`. Null when there is none: no key was sent. */
function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || !/^bearer +\S/i.test(authorization)) return null
  return authorization.slice('bearer '.length).trim()
}

function knownKey(row: StoredKey): KnownKey {
  const { key_id, merchant_id, livemode, scope, merchant_active } = row
  const caller: Caller = Object.freeze({ merchant_id, livemode, key_id, scope, merchant_active })
  return {
    digest: row.secret_hash,
    status: row.status,
    noted_at: row.last_used_at?.getTime() ?? 0,
    // An invalid block allows nothing, but the key stays restricted.
    restricted: row.allowed_addresses.length > 0,
    blocks: row.allowed_addresses.map(parseAddressBlock).filter((block) => block !== null),
    caller,
    authenticated: Object.freeze({ kind: 'authenticated', caller }),
  }
}
