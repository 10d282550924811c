import { type Fees, feeAt, feeFor, type MerchantSettings } from '../merchants/fees.ts'
import { startCollections } from '../operators/start-instruction.ts'
import type { Clock } from '../platform/clock.ts'
import { claimKeys, decidedByClaim, isKeyTaken, keepAnswers, keepNewAnswers } from '../platform/http/idempotency.ts'
import type { Idempotency } from '../platform/http/route.ts'
import type { PayerAttempts } from '../platform/limits/windows.ts'
import { createBatcher, ofOneMerchant, REQUEST_PACE } from '../platform/postgres/batcher.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import { aboveLimit } from '../words/amount.ts'
import type { Caller, Tenant } from '../words/caller.ts'
import { comparableReference } from '../words/comparable.ts'
import { newId } from '../words/ids.ts'
import { type Msisdn, operatorOfPrefix } from '../words/msisdn.ts'
import type { OperatorCode } from '../words/operators.ts'
import { viewPayment } from './payment.ts'
import * as store from './store.ts'

export type PaymentRequest = {
  amount: number
  operator: OperatorCode | null
  msisdn: Msisdn | null
  merchant_reference: string | null
  description: string | null
  metadata: string | null
  /** Test mode only: concluded at once as succeeded, without the simulator. */
  simulate: 'succeed' | null
  /** The checkout session that this is an attempt of; absent for what a merchant's server asks for. */
  checkout_session_id?: string
}

/** A payment that a checkout session is to take as its attempt. */
export type Attempt = Tenant & { session_id: string; payment_id: string }

/**
 * Has sessions take payments as their attempts, in the transaction that creates them, and returns the ids of the payments
 * taken. Passed in, because sessions stand above payments.
 */
export type TakeAttempts = (tx: Tx, attempts: readonly Attempt[]) => Promise<Set<string>>

export type CreatePaymentResult =
  /** `text` is the body to answer, the same on every replay. */
  | { kind: 'created' | 'replayed'; status: number; text: string }
  | {
      kind: 'refused'
      code:
        | 'idempotency_in_progress'
        | 'idempotency_key_reused'
        | 'merchant_inactive'
        | 'duplicate_reference'
        | 'amount_above_limit'
        | 'too_many_attempts'
      /** Instead of the code's usual sentence. */
      message?: string
    }

export type CreatePayment = (
  caller: Caller,
  idempotency: Idempotency,
  request: PaymentRequest,
  /** Whether the caller still waits for the answer; absent: always. */
  isWanted?: () => boolean,
) => Promise<CreatePaymentResult>

type Dependencies = {
  sql: Sql
  clock: Clock
  settings: (merchant_id: number) => MerchantSettings | Promise<MerchantSettings>
  payerAttempts: PayerAttempts
  /** The service's own limit for one payment in francs, for merchants without one. */
  collection_amount_max: number
  takeAttempts?: TakeAttempts
}

type Call = {
  caller: Caller
  idempotency: Idempotency
  request: PaymentRequest
  /** Known before the database is asked, but said only after it has looked for a replay and a taken reference. */
  blocked: 'amount_above_limit' | 'too_many_attempts' | null
  fees: Fees
  isWanted: () => boolean
}

/** Payments created by one transaction at most. */
const BATCH = 256

/**
 * Creates a payment: the fee is fixed, it waits to be sent, its job and the answer to replay kept, all in one
 * transaction shared with the requests that waited together. Nothing is sent yet. Refusals, in their order: a key in
 * use or reused, an inactive merchant, a taken reference, the amount limit, too many attempts of the payer. An attempt that
 * its checkout session does not take (one is under way, or it has ended) is told `idempotency_in_progress`. A refused
 * request leaves nothing behind.
 */
export function createCreatePayment(deps: Dependencies): CreatePayment {
  const { sql, clock, settings, payerAttempts, collection_amount_max } = deps
  const create = createBatcher<Call, CreatePaymentResult>({
    owner: ({ caller }) => tenantKey(caller),
    isWanted: ({ isWanted }) => isWanted(),
    ...ofOneMerchant(sql, ({ caller }) => caller),
    size: BATCH,
    pace: REQUEST_PACE,
    async run(calls) {
      if (calls.every(isSurelyNew)) {
        try {
          return await sql.begin((tx) => createNew(tx, calls, deps))
        } catch (error) {
          if (!isKeyTaken(error) && violatedConstraint(error) !== store.REFERENCE_KEY) throw error
        }
      }
      return sql.begin((tx) => createOrRefuse(tx, calls, deps))
    },
  })

  return async (caller, idempotency, request, isWanted = () => true) => {
    // The moment comes before the settings: what is read after it knows every schedule that has begun by then.
    const asked_at = clock.now()
    const merchant = await settings(caller.merchant_id)
    const fees = feeFor(feeAt(merchant.fee_schedules, 'collection', asked_at), request.amount)
    const limit = merchant.collection_amount_max ?? collection_amount_max
    const tooLarge = request.amount > limit
    const counted = request.msisdn !== null && request.simulate === null && !tooLarge
    const attemptTaken = counted && (await payerAttempts.take(caller.livemode, request.msisdn!))
    const blocked = tooLarge ? 'amount_above_limit' : counted && !attemptTaken ? 'too_many_attempts' : null
    const giveBack = () => {
      if (attemptTaken) void payerAttempts.giveBack(caller.livemode, request.msisdn!)
    }
    try {
      const result = await create({ caller, idempotency, request, blocked, fees, isWanted })
      if (result.kind !== 'created') giveBack()
      const above = result.kind === 'refused' && result.code === 'amount_above_limit'
      return above ? { ...result, message: aboveLimit(limit) } : result
    } catch (error) {
      giveBack()
      throw error
    }
  }
}

/**
 * Whether a request can be taken for new without looking. An attempt of a checkout session cannot: when its form was sent
 * before, the session refuses it before the indexes do, and the key would not be looked up.
 */
function isSurelyNew({ caller, blocked, request }: Call): boolean {
  return caller.merchant_active && blocked === null && request.checkout_session_id === undefined
}

/**
 * Creates the payments of requests that are all taken to be new, as nearly always they are: nothing is looked up, and all of
 * it goes to the database at once. Its indexes refuse a key or a reference that is not new, and with it the whole.
 */
async function createNew(tx: Tx, calls: readonly Call[], deps: Dependencies): Promise<CreatePaymentResult[]> {
  const results = new Map<Call, CreatePaymentResult>()
  await storeTogether(tx, calls, deps, results, keepNewAnswers)
  return calls.map((call) => results.get(call)!)
}

/** Looks first whether each request may be carried out, and for what it is to be refused if not. */
async function createOrRefuse(tx: Tx, calls: readonly Call[], deps: Dependencies): Promise<CreatePaymentResult[]> {
  const claims = await claimKeys(
    tx,
    calls.map(({ caller, idempotency }) => ({ ...tenantOf(caller), ...idempotency })),
  )
  const results = new Map<Call, CreatePaymentResult>()
  calls.forEach((call, at) => {
    const decided = decidedByClaim(claims[at]!)
    if (decided !== null) results.set(call, decided)
    else if (!call.caller.merchant_active) results.set(call, { kind: 'refused', code: 'merchant_inactive' })
  })
  const open = calls.filter((call) => !results.has(call))
  const taken = await findReferences(tx, open)
  for (const call of open) {
    const reference = referenceKey(call)
    if (reference !== null && taken.has(reference)) {
      results.set(call, { kind: 'refused', code: 'duplicate_reference' })
    } else if (call.blocked !== null) {
      results.set(call, { kind: 'refused', code: call.blocked })
    } else if (reference !== null) {
      // From here on it is this call's.
      taken.add(reference)
    }
  }
  await storeTogether(
    tx,
    open.filter((call) => !results.has(call)),
    deps,
    results,
    keepAnswers,
  )
  return calls.map((call) => results.get(call)!)
}

/** Writes all that these requests bring, on its way with the commit, and notes what came of each in `results`. */
async function storeTogether(
  tx: Tx,
  calls: readonly Call[],
  { clock, takeAttempts }: Dependencies,
  results: Map<Call, CreatePaymentResult>,
  keep: typeof keepAnswers | typeof keepNewAnswers,
): Promise<void> {
  const now = clock.now()
  const prepared = calls.map((call) => ({ call, row: rowFor(call, now) }))
  const refused = await refusedAttempts(tx, prepared, takeAttempts)
  for (const { call } of refused) results.set(call, { kind: 'refused', code: 'idempotency_in_progress' })
  const stored = refused.size === 0 ? prepared : prepared.filter((one) => !refused.has(one))
  if (stored.length === 0) return
  const answers = stored.map(({ call, row }) => {
    const { merchant_id, livemode } = row
    const { key, fingerprint } = call.idempotency
    const text = JSON.stringify(viewPayment(row))
    results.set(call, { kind: 'created', status: 201, text })
    return { merchant_id, livemode, key, fingerprint, status: 201, body: text }
  })
  const rows = stored.map(({ row }) => row)
  keep(tx, answers)
  store.insertPayments(tx, rows)
  startCollections(tx, stored.map(collectionFor))
}

type Prepared = { call: Call; row: store.NewPayment }

/** Those among these whose checkout session does not take them. */
async function refusedAttempts(
  tx: Tx,
  prepared: readonly Prepared[],
  takeAttempts: TakeAttempts | undefined,
): Promise<Set<Prepared>> {
  const tried = prepared.filter(({ row }) => row.checkout_session_id !== null)
  if (tried.length === 0) return new Set()
  if (takeAttempts === undefined) throw new Error('Nothing is bound to take attempts of checkout sessions.')
  const attempts = tried.map(({ row: { merchant_id, livemode, id, checkout_session_id } }) => ({
    merchant_id,
    livemode,
    session_id: checkout_session_id!,
    payment_id: id,
  }))
  const taken = await takeAttempts(tx, attempts)
  return new Set(tried.filter(({ row }) => !taken.has(row.id)))
}

/** The references of these calls that are taken already. */
async function findReferences(tx: Tx, calls: readonly Call[]): Promise<Set<string>> {
  const wanted = calls.flatMap(({ caller, request: { merchant_reference } }) =>
    merchant_reference === null
      ? []
      : [{ ...tenantOf(caller), reference_key: comparableReference(merchant_reference) }],
  )
  if (wanted.length === 0) return new Set()
  const found = await store.findReferences(tx, wanted)
  return new Set(found.map(({ reference_key, ...tenant }) => `${tenantKey(tenant)}/${reference_key}`))
}

/** Names a reference, as it is compared, among those of all merchants; null when the call has none. */
function referenceKey({ caller, request: { merchant_reference } }: Call): string | null {
  return merchant_reference === null ? null : `${tenantKey(caller)}/${comparableReference(merchant_reference)}`
}

function tenantKey({ merchant_id, livemode }: Tenant): string {
  return `${merchant_id}/${livemode}`
}

function rowFor({ caller, request, fees }: Call, now: Date): store.NewPayment {
  const { amount, msisdn, merchant_reference, description, metadata } = request
  const compared = merchant_reference === null ? null : comparableReference(merchant_reference)
  return {
    merchant_id: caller.merchant_id,
    livemode: caller.livemode,
    id: newId('txn', now.getTime()),
    amount,
    amount_collected: fees.amount_collected,
    fee_amount: fees.fee_amount,
    net_amount: fees.net_amount,
    currency: 'XOF',
    status: 'created',
    operator: request.operator ?? (msisdn === null ? null : operatorOfPrefix(msisdn)),
    merchant_reference,
    reference_key: compared === merchant_reference ? null : compared,
    msisdn: msisdn?.e164 ?? null,
    description,
    metadata,
    checkout_session_id: request.checkout_session_id ?? null,
    failure_code: null,
    created_at: now,
    succeeded_at: null,
    failed_at: null,
  }
}

function collectionFor({ call: { request }, row: { merchant_id, livemode, id, operator } }: Prepared) {
  return { merchant_id, livemode, subject_id: id, operator, simulate: request.simulate }
}

function tenantOf({ merchant_id, livemode }: Tenant): Tenant {
  return { merchant_id, livemode }
}
