import type { MerchantSettings } from '../merchants/fees.ts'
import type { Clock } from '../platform/clock.ts'
import { claimKeys, decidedByClaim, keepAnswers } from '../platform/http/idempotency.ts'
import type { Idempotency } from '../platform/http/route.ts'
import { createBatcher, ofOneMerchant } from '../platform/postgres/batcher.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { aboveLimit } from '../words/amount.ts'
import type { Caller, Tenant } from '../words/caller.ts'
import { newId } from '../words/ids.ts'
import type { Addresses } from './addresses.ts'
import { viewSession, withAddress } from './session.ts'
import * as store from './store.ts'

export type SessionRequest = {
  amount: number
  description: string | null
  /** Checked by `readReturnUrl`. */
  return_url: string | null
}

export type CreateSessionResult =
  /** `text` is the body to answer, the same on every replay. */
  | { kind: 'created' | 'replayed'; status: number; text: string }
  | {
      kind: 'refused'
      code: 'idempotency_in_progress' | 'idempotency_key_reused' | 'merchant_inactive' | 'amount_above_limit'
      /** Instead of the code's usual sentence. */
      message?: string
    }

export type CreateSession = (
  caller: Caller,
  idempotency: Idempotency | null,
  request: SessionRequest,
  /** Whether the caller still waits for the answer; absent: always. */
  isWanted?: () => boolean,
) => Promise<CreateSessionResult>

type Dependencies = {
  sql: Sql
  clock: Clock
  addresses: Addresses
  settings: (merchant_id: number) => MerchantSettings | Promise<MerchantSettings>
  /** The service's own limit for one payment in francs, for merchants without one. */
  collection_amount_max: number
  session_minutes: number
}

type Call = {
  caller: Caller
  idempotency: Idempotency | null
  request: SessionRequest
  tooLarge: boolean
  isWanted: () => boolean
}

/** Sessions created by one transaction at most. */
const BATCH = 256

/**
 * Creates a session: its row, the lookup of its token and the answer to replay, in one transaction shared with the requests
 * that waited together. Refusals, in their order: a key in use or reused, an inactive merchant, the amount limit. The kept
 * answer is without the address, so that no token lies in the database; it is put back on its way out.
 */
export function createCreateSession(deps: Dependencies): CreateSession {
  const { sql, addresses, settings, collection_amount_max } = deps
  const create = createBatcher<Call, CreateSessionResult>({
    size: BATCH,
    lanes: 2,
    owner: ({ caller: { merchant_id, livemode } }) => `${merchant_id}/${livemode}`,
    isWanted: ({ isWanted }) => isWanted(),
    ...ofOneMerchant(sql, ({ caller }) => caller),
    run: (calls) => sql.begin((tx) => createTogether(tx, calls, deps)),
  })
  return async (caller, idempotency, request, isWanted = () => true) => {
    const merchant = await settings(caller.merchant_id)
    const limit = merchant.collection_amount_max ?? collection_amount_max
    const result = await create({ caller, idempotency, request, tooLarge: request.amount > limit, isWanted })
    if (result.kind === 'refused' && result.code === 'amount_above_limit')
      return { ...result, message: aboveLimit(limit) }
    return result.kind === 'refused' ? result : { ...result, text: withAddress(result.text, addresses.sessionUrl) }
  }
}

async function createTogether(tx: Tx, calls: readonly Call[], deps: Dependencies): Promise<CreateSessionResult[]> {
  const claims = await claimKeys(
    tx,
    calls.map(({ caller, idempotency }) => (idempotency === null ? null : { ...tenantOf(caller), ...idempotency })),
  )
  const rows = new Map<Call, store.NewSession>()
  const results = calls.map((call, at): CreateSessionResult => {
    const decided = decidedByClaim(claims[at]!)
    if (decided !== null) return decided
    if (!call.caller.merchant_active) return { kind: 'refused', code: 'merchant_inactive' }
    if (call.tooLarge) return { kind: 'refused', code: 'amount_above_limit' }
    const row = rowFor(call, deps)
    rows.set(call, row)
    return { kind: 'created', status: 201, text: JSON.stringify(viewNew(row)) }
  })
  if (rows.size > 0) await store.insertSessions(tx, [...rows.values()])
  keepAnswers(
    tx,
    calls.flatMap(({ caller, idempotency }, at) => {
      const result = results[at]!
      if (idempotency === null || result.kind !== 'created') return []
      return [{ ...tenantOf(caller), ...idempotency, status: result.status, body: result.text }]
    }),
  )
  return results
}

function rowFor({ caller, request }: Call, { clock, addresses, session_minutes }: Dependencies): store.NewSession {
  // Asked once: the clock goes on between two questions, and a session is open for its minutes to the millisecond.
  const now = clock.milliseconds()
  const id = newId('cs', now)
  return {
    ...tenantOf(caller),
    id,
    link_id: null,
    amount: request.amount,
    min_amount: null,
    max_amount: null,
    currency: 'XOF',
    description: request.description,
    return_url: request.return_url,
    created_at: new Date(now),
    expires_at: new Date(now + session_minutes * 60_000),
    token_hash: addresses.tokenHash(id),
  }
}

function viewNew(row: store.NewSession) {
  return viewSession({ ...row, status: 'open', attempts: 0, payment_id: null, attempt_live: false, paid_at: null })
}

function tenantOf({ merchant_id, livemode }: Tenant): Tenant {
  return { merchant_id, livemode }
}
