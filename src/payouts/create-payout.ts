import { findActivePayoutBeneficiaries } from '../beneficiaries/find-beneficiaries.ts'
import { saveBeneficiaries } from '../beneficiaries/save-beneficiaries.ts'
import { type Fees, feeAt, feeFor, type MerchantSettings } from '../merchants/fees.ts'
import type { Clock } from '../platform/clock.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { claimKeys, claimNewKeys, decidedByClaim, isKeyTaken, keepAnswers } from '../platform/http/idempotency.ts'
import type { Idempotency } from '../platform/http/route.ts'
import type { OwnerLocks } from '../platform/owner-locks.ts'
import { createBatcher, ofOneMerchant, REQUEST_PACE } from '../platform/postgres/batcher.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Caller, Tenant } from '../words/caller.ts'
import { newId } from '../words/ids.ts'
import { type Msisdn, operatorOfPrefix } from '../words/msisdn.ts'
import type { OperatorCode } from '../words/operators.ts'
import { decidePayout, type PayoutDecision } from './decide-payout.ts'
import { type LockedTenants, lockMeans, tenantKey, type UsualCaps } from './means.ts'
import { type Destination, viewPayout } from './payout.ts'
import { viewPayoutRequest } from './payout-request.ts'
import * as requestStore from './request-store.ts'
import { countUses, startPayouts } from './start-payout.ts'
import type * as store from './store.ts'

/** Where the money is to go: an entry of the book, or a destination named here and saved to it. */
export type WantedDestination =
  | { kind: 'book'; beneficiary_id: string }
  | { kind: 'inline'; msisdn: Msisdn; operator: OperatorCode | null; name: string }

export type PayoutOrder = { amount: number; destination: WantedDestination; reference: string | null }

export type CreatePayoutResult =
  /** 201 with a payout, or 202 with a request that waits for approval. `text` is the same on every replay. */
  | { kind: 'created' | 'replayed'; status: number; text: string }
  | {
      kind: 'refused'
      code:
        | 'idempotency_in_progress'
        | 'idempotency_key_reused'
        | 'merchant_inactive'
        | 'resource_not_found'
        | 'insufficient_funds'
    }

export type CreatePayout = (
  caller: Caller,
  idempotency: Idempotency,
  order: PayoutOrder,
  /** Whether the caller still waits for the answer; absent: always. */
  isWanted?: () => boolean,
) => Promise<CreatePayoutResult>

type Dependencies = {
  sql: Sql
  clock: Clock
  settings: (merchant_id: number) => MerchantSettings | Promise<MerchantSettings>
  caps: UsualCaps
  /** Days after which a request that nobody decided expires. */
  request_expiry_days: number
  /** Shared with whatever else in this process locks a merchant's transfer balance. */
  locks: OwnerLocks
}

type Call = {
  caller: Caller
  idempotency: Idempotency
  order: PayoutOrder
  fee_amount: number
  isWanted: () => boolean
}

/** Batches under way at once: while one waits for what it looked up, or for the disk, the next is worked on. */
const LANES = 2

/**
 * Creates a payout: the money leaves the transfer balance at once and the instruction is prepared, or, above a cap, a
 * request is kept and nothing moves. All requests that waited together share one transaction; each is decided on what
 * the one before left, under the lock of its merchant's transfer balance. Refusals, in their order: a key in use or
 * reused, an unknown destination, an inactive merchant, funds. A refused request leaves nothing behind, also in the book.
 */
export function createCreatePayout(deps: Dependencies): CreatePayout {
  const { sql, clock, settings } = deps
  const create = createBatcher<Call, CreatePayoutResult>({
    async run(calls) {
      const results = (await createNew(calls, deps)) ?? (await createOrReplay(calls, deps))
      crashPoint('after_commit_before_ack')
      return results
    },
    // Merchants are divided among the batches under way, so that none waits until another commits and frees an account.
    lanes: LANES,
    key: ({ caller }) => caller.merchant_id % LANES,
    pace: REQUEST_PACE,
    owner: ({ caller }) => tenantKey(caller),
    locks: deps.locks,
    isWanted: ({ isWanted }) => isWanted(),
    ...ofOneMerchant(sql, ({ caller }) => caller),
  })
  return async (caller, idempotency, order, isWanted = () => true) => {
    // The moment comes before the settings: what is read after it knows every schedule that has begun by then.
    const asked_at = clock.now()
    const { fee_schedules } = await settings(caller.merchant_id)
    const { fee_amount } = payoutFees(fee_schedules, order.amount, asked_at)
    return create({ caller, idempotency, order, fee_amount, isWanted })
  }
}

/** What a payout costs. The fee always comes on top: the bearer of a schedule is said of collections only. */
export function payoutFees(schedules: MerchantSettings['fee_schedules'], amount: number, at: Date): Fees {
  const schedule = feeAt(schedules, 'payout', at)
  return feeFor(schedule === null ? null : { ...schedule, bearer: 'payer' }, amount)
}

/**
 * Creates payouts for requests that are taken to be new, as nearly all are: what their keys claim is on its way with what the
 * payouts are decided on. Null when a key turns out to be in use or answered, or is here twice: nothing was written then.
 */
async function createNew(calls: readonly Call[], deps: Dependencies): Promise<CreatePayoutResult[] | null> {
  const keys = new Set(calls.map(({ caller, idempotency: { key } }) => `${tenantKey(caller)}/${key}`))
  if (keys.size < calls.length) return null
  try {
    return await deps.sql.begin(async (tx) => {
      // Before any lock is waited for: who repeats a request that is under way is told so at once.
      claimNewKeys(tx, calls.map(claimOf))
      const decided = await decideTogether(tx, calls, deps)
      const results: Results = new Map(decided.refused)
      await storeTogether(tx, decided, deps, results)
      return calls.map((call) => results.get(call)!)
    })
  } catch (error) {
    if (isKeyTaken(error)) return null
    throw error
  }
}

/** Looks first which requests may be carried out. */
function createOrReplay(calls: readonly Call[], deps: Dependencies): Promise<CreatePayoutResult[]> {
  return deps.sql.begin(async (tx) => {
    const results = await decidedByKeys(tx, calls)
    const open = calls.filter((call) => !results.has(call))
    if (open.length > 0) {
      const decided = await decideTogether(tx, open, deps)
      for (const [call, refusal] of decided.refused) results.set(call, refusal)
      await storeTogether(tx, decided, deps, results)
    }
    return calls.map((call) => results.get(call)!)
  })
}

type Results = Map<Call, CreatePayoutResult>

/** What the keys alone decide: replays, and keys in use or reused. The keys of all the others are claimed. */
async function decidedByKeys(tx: Tx, calls: readonly Call[]): Promise<Results> {
  const claims = await claimKeys(tx, calls.map(claimOf))
  return new Map(
    calls.flatMap((call, at): [Call, CreatePayoutResult][] => {
      const decided = decidedByClaim(claims[at]!)
      return decided === null ? [] : [[call, decided]]
    }),
  )
}

type Granted = Exclude<PayoutDecision, { kind: 'refused' }>

/** What becomes of payouts, decided one after the other on what their merchants' locked means are. */
type Decided = { refused: Results; made: Made[]; locked: LockedTenants }

async function decideTogether(tx: Tx, calls: readonly Call[], deps: Dependencies): Promise<Decided> {
  // On their way together, the lock first: an entry that is archived before we have it is seen as archived.
  const [locked, fromBook] = await Promise.all([
    lockMeans(
      tx,
      calls.map(({ caller }) => caller),
      deps.caps,
    ),
    findBookDestinations(tx, calls),
  ])
  // Refusals in the order of precedence, each said over the one before: for who comes further it is replaced.
  const refused: Results = new Map()
  const found = calls.filter((call) => call.order.destination.kind === 'inline' || fromBook.has(call))
  for (const call of calls) refused.set(call, { kind: 'refused', code: 'resource_not_found' })
  for (const call of found) refused.set(call, { kind: 'refused', code: 'merchant_inactive' })
  const effective: { call: Call; decision: Granted }[] = []
  for (const call of found.filter(({ caller }) => caller.merchant_active)) {
    const means = locked.means.get(tenantKey(call.caller))!
    const decision = decidePayout(means.caps, means, amountsOf(call))
    // A payout that lacks funds is refused whole: it must not bring its destination to the book.
    if (decision.kind === 'refused') refused.set(call, decision)
    else {
      refused.delete(call)
      effective.push({ call, decision })
    }
  }
  const destinations = await destinationsOf(
    tx,
    effective.map(({ call }) => call),
    fromBook,
  )
  const made = effective.map(({ call, decision }) => make(call, decision, destinations.get(call)!, deps.clock))
  return { refused, made, locked }
}

/** The destinations taken from the book; a call whose entry is unknown, archived or another's is absent. */
async function findBookDestinations(tx: Tx, calls: readonly Call[]): Promise<Map<Call, Destination>> {
  const wanted = calls.flatMap((call) => {
    const { destination } = call.order
    return destination.kind === 'book'
      ? [{ call, key: { ...tenantOf(call.caller), id: destination.beneficiary_id } }]
      : []
  })
  if (wanted.length === 0) return new Map()
  const rows = await findActivePayoutBeneficiaries(
    tx,
    wanted.map(({ key }) => key),
  )
  const byKey = new Map(rows.map((row) => [`${tenantKey(row)}/${row.id}`, row]))
  return new Map(
    wanted.flatMap(({ call, key }): [Call, Destination][] => {
      const row = byKey.get(`${tenantKey(key)}/${key.id.toLowerCase()}`)
      if (row === undefined) return []
      const { id: beneficiary_id, name, label, msisdn, operator } = row
      return [[call, { beneficiary_id, is_inline: false, name, label, msisdn, operator }]]
    }),
  )
}

/** Every call's destination. Those named inline are saved to the book, now that it is sure that they are used. */
async function destinationsOf(
  tx: Tx,
  calls: readonly Call[],
  fromBook: ReadonlyMap<Call, Destination>,
): Promise<Map<Call, Destination>> {
  const inline = calls.flatMap((call) => {
    const { destination } = call.order
    if (destination.kind === 'book') return []
    const { msisdn, name } = destination
    const operator = destination.operator ?? operatorOfPrefix(msisdn)
    return [{ call, entry: { ...tenantOf(call.caller), msisdn, operator, name, label: null } }]
  })
  const saved = await saveBeneficiaries(
    tx,
    inline.map(({ entry }) => entry),
  )
  const named = inline.map(({ call, entry: { msisdn, operator, name } }, at): [Call, Destination] => [
    call,
    { beneficiary_id: saved[at]!.id, is_inline: true, name, label: saved[at]!.label, msisdn: msisdn.e164, operator },
  ])
  return new Map([...fromBook, ...named])
}

/** What came of a call: the answer, and the row of a payout or of a request behind it. */
type Made = { call: Call; status: number; text: string } & (
  | { payout: store.NewPayout; request: null }
  | { payout: null; request: requestStore.NewRequest }
)

function make(call: Call, decision: Granted, destination: Destination, clock: Clock): Made {
  const { caller, order } = call
  const about = { ...tenantOf(caller), currency: 'XOF' as const, reference: order.reference, created_at: clock.now() }
  if (decision.kind === 'held') {
    const { reason, cap } = decision
    const id = newId('por', clock.milliseconds())
    const made_by = `key:${caller.key_id}`
    const request = { ...about, ...destination, id, amount: order.amount, reason, cap, made_by }
    const waiting = { ...request, status: 'pending_approval', payout_id: null, decided_at: null } as const
    return { call, status: 202, text: JSON.stringify(viewPayoutRequest(waiting)), payout: null, request }
  }
  const id = newId('txn', clock.milliseconds())
  const payout = { ...about, ...destination, id, ...amountsOf(call), batch_id: null, rank: null }
  const text = JSON.stringify(viewPayout({ ...payout, status: 'created', failure_code: null }))
  return { call, status: 201, text, payout, request: null }
}

/** Writes all that these payouts bring, on its way with the commit, and notes what came of each in `results`. */
async function storeTogether(
  tx: Tx,
  { made, locked }: Decided,
  { request_expiry_days }: Dependencies,
  results: Results,
): Promise<void> {
  if (made.length === 0) return
  const payouts = made.flatMap(({ payout }) => payout ?? [])
  const requests = made.flatMap(({ request }) => request ?? [])
  keepAnswers(
    tx,
    made.map(({ call, status, text }) => ({ ...claimOf(call), status, body: text })),
  )
  if (requests.length > 0) await requestStore.insertRequests(tx, requests, request_expiry_days)
  await startPayouts(tx, payouts, locked)
  countUses(tx, [...payouts, ...requests], locked)
  for (const { call, status, text } of made) results.set(call, { kind: 'created', status, text })
  crashPoint('after_hold_insert')
}

function amountsOf({ order: { amount }, fee_amount }: Call) {
  return { amount, fee_amount, total_debited: amount + fee_amount }
}

function claimOf({ caller, idempotency }: Call) {
  return { ...tenantOf(caller), ...idempotency }
}

function tenantOf({ merchant_id, livemode }: Tenant): Tenant {
  return { merchant_id, livemode }
}
