import { findSettlementCandidates, type SettlementCandidate } from '../beneficiaries/find-destinations.ts'
import { accountKey } from '../ledger/book.ts'
import { lockAccounts, post } from '../ledger/post.ts'
import { settlementRequested } from '../ledger/postings.ts'
import type { Clock } from '../platform/clock.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { claimKeys, decidedByClaim, keepAnswers } from '../platform/http/idempotency.ts'
import type { Idempotency } from '../platform/http/route.ts'
import { createBatcher, ofOneMerchant } from '../platform/postgres/batcher.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Caller, Tenant } from '../words/caller.ts'
import { newId } from '../words/ids.ts'
import { decideSettlement, type SettlementMeans, type SettlementRefusal } from './decide-settlement.ts'
import { type DestinationSnapshot, viewSettlement } from './settlement.ts'
import * as store from './store.ts'

export type SettlementOrder = { amount: number; beneficiary_id: string }

export type CreateSettlementResult =
  /** 202: it waits for validation. `text` is the same on every replay. */
  | { kind: 'created' | 'replayed'; status: number; text: string }
  | { kind: 'refused'; code: 'idempotency_in_progress' | 'idempotency_key_reused'; message?: never }
  | { kind: 'refused'; code: SettlementRefusal /** Where the usual sentence does not say enough. */; message?: string }

export type CreateSettlement = (
  caller: Caller,
  idempotency: Idempotency,
  order: SettlementOrder,
  /** Whether the caller still waits for the answer; absent: always. */
  isWanted?: () => boolean,
) => Promise<CreateSettlementResult>

/** The service's own rules, for merchants without a floor of their own. */
export type SettlementRules = {
  /** Francs. */
  settlement_min: number
  /** Hours between the designation of a destination and the first settlement to it. */
  destination_cooling_hours: number
}

type Dependencies = { sql: Sql; clock: Clock; rules: SettlementRules }

type Call = { caller: Caller; idempotency: Idempotency; order: SettlementOrder; isWanted: () => boolean }

/**
 * Takes a merchant's request to be paid: the amount leaves the available balance at once and waits in flight until people
 * of the service have decided. All requests that waited together share one transaction; each is decided on what the one
 * before left, under the lock of its merchant's available balance. Refusals, in their order: a key in use or reused, then
 * those of `decideSettlement`. A refused request leaves nothing behind.
 */
export function createCreateSettlement(deps: Dependencies): CreateSettlement {
  const create = createBatcher<Call, CreateSettlementResult>({
    async run(calls) {
      const results = await deps.sql.begin((tx) => createTogether(tx, calls, deps))
      crashPoint('after_commit_before_ack')
      return results
    },
    owner: ({ caller }) => availableOf(caller),
    isWanted: ({ isWanted }) => isWanted(),
    ...ofOneMerchant(deps.sql, ({ caller }) => caller),
  })
  return (caller, idempotency, order, isWanted = () => true) => create({ caller, idempotency, order, isWanted })
}

async function createTogether(tx: Tx, calls: readonly Call[], deps: Dependencies): Promise<CreateSettlementResult[]> {
  const claims = await claimKeys(
    tx,
    calls.map(({ caller, idempotency }) => ({ ...tenantOf(caller), ...idempotency })),
  )
  const results = new Map<Call, CreateSettlementResult>()
  calls.forEach((call, at) => {
    const decided = decidedByClaim(claims[at]!)
    if (decided !== null) results.set(call, decided)
  })
  const open = calls.filter((call) => !results.has(call))
  if (open.length === 0) return calls.map((call) => results.get(call)!)

  const ground = await load(tx, open, deps.rules)
  const made: Made[] = []
  for (const call of open) {
    const candidate = ground.candidates.get(candidateKey(call)) ?? null
    const means = ground.means.get(availableOf(call.caller))!
    const floor = ground.floors.get(availableOf(call.caller)) ?? deps.rules.settlement_min
    const decision = decideSettlement(means, floor, {
      amount: call.order.amount,
      merchant_active: call.caller.merchant_active,
      destination: candidate && {
        is_designated: candidate.designated_at !== null,
        has_cooled: candidate.has_cooled === true,
      },
    })
    if (decision.kind === 'refused') {
      const message = messageOf(decision.code, floor, candidate?.serves_from ?? null)
      results.set(call, message === null ? decision : { ...decision, message })
    } else {
      const one = make(call, candidate!, deps.clock)
      made.push(one)
      results.set(call, { kind: 'created', status: STATUS, text: one.text })
    }
  }
  await storeTogether(tx, made)
  crashPoint('after_hold_insert')
  return calls.map((call) => results.get(call)!)
}

/** Accepted, and never 201: nothing is paid yet. */
const STATUS = 202

type Ground = {
  means: Map<string, SettlementMeans>
  floors: Map<string, number>
  candidates: Map<string, SettlementCandidate>
}

/**
 * Loads the facts that these requests are decided on. The balances are locked first and the rest is read after, so that we
 * see what the previous holder of the lock committed: floors and designations too.
 */
async function load(tx: Tx, calls: readonly Call[], rules: SettlementRules): Promise<Ground> {
  const tenants = [...new Map(calls.map(({ caller }) => [availableOf(caller), tenantOf(caller)])).values()]
  const accounts = await lockAccounts(
    tx,
    tenants.flatMap((tenant) => [
      { ...tenant, account: 'available' },
      { ...tenant, account: 'settlements_in_flight' },
    ]),
  )
  const keys = calls.map(({ caller, order }) => ({ ...tenantOf(caller), id: order.beneficiary_id }))
  const [candidates, floors] = await Promise.all([
    findSettlementCandidates(tx, keys, rules.destination_cooling_hours),
    store.readFloors(tx, tenants),
  ])
  return {
    means: new Map(
      tenants.map((tenant) => [availableOf(tenant), { available: accounts.get(availableOf(tenant))!.balance }]),
    ),
    floors: new Map(floors.map((row) => [availableOf(row), row.minimum])),
    candidates: new Map(candidates.map((row) => [`${availableOf(row)}/${row.id}`, row])),
  }
}

/** A more precise message than the usual one; null: the usual one does. */
function messageOf(code: SettlementRefusal, floor: number, serves_from: Date | null): string | null {
  if (code === 'sous_le_plancher') return `The smallest settlement is ${floor} francs.`
  if (code !== 'destination_trop_recente' || serves_from === null) return null
  return `This destination was designated too recently: it serves from ${secondOf(serves_from)} on.`
}

/** A moment as people read it, never earlier than it is: `2026-09-01 10:00:00 UTC`. */
function secondOf(moment: Date): string {
  const second = new Date(Math.ceil(moment.getTime() / 1_000) * 1_000).toISOString()
  return `${second.slice(0, 10)} ${second.slice(11, 19)} UTC`
}

type Made = { call: Call; settlement: store.NewSettlement; text: string }

function make(call: Call, candidate: SettlementCandidate, clock: Clock): Made {
  const { caller, order } = call
  const settlement: store.NewSettlement = {
    ...tenantOf(caller),
    ...snapshotOf(candidate),
    id: newId('stl', clock.milliseconds()),
    amount: order.amount,
    currency: 'XOF',
    made_by: `key:${caller.key_id}`,
    created_at: clock.now(),
  }
  const undecided = {
    status: 'pending_validation',
    validated_by: null,
    paid_by: null,
    rejected_by: null,
    bank_reference: null,
    rejection_reason: null,
    validated_at: null,
    paid_at: null,
    rejected_at: null,
  } as const
  const text = JSON.stringify(viewSettlement({ ...settlement, ...undecided }))
  return { call, settlement, text }
}

/** The destination as it is now, for the settlement to keep. */
function snapshotOf({ id, name, operator, last4, is_bank_account, designated_at }: SettlementCandidate) {
  const account_type = is_bank_account ? 'bank_account' : 'wallet'
  return {
    beneficiary_id: id,
    name,
    account_type,
    operator,
    last4,
    designated_at: designated_at!,
  } satisfies DestinationSnapshot
}

async function storeTogether(tx: Tx, made: readonly Made[]): Promise<void> {
  if (made.length === 0) return
  keepAnswers(
    tx,
    made.map(({ call, text }) => ({ ...tenantOf(call.caller), ...call.idempotency, status: STATUS, body: text })),
  )
  await Promise.all([
    store.insertSettlements(
      tx,
      made.map(({ settlement }) => settlement),
    ),
    post(
      tx,
      made.map(({ settlement: { merchant_id, livemode, id, amount } }) => ({
        merchant_id,
        livemode,
        subject_id: id,
        operation: 'settlement_requested' as const,
        legs: settlementRequested(amount),
      })),
    ),
  ])
}

/** Names a merchant in a mode, and the balance that its settlements are decided on. */
function availableOf({ merchant_id, livemode }: Tenant): string {
  return accountKey({ merchant_id, livemode, account: 'available' })
}

function candidateKey({ caller, order }: Call): string {
  return `${availableOf(caller)}/${order.beneficiary_id.toLowerCase()}`
}

function tenantOf({ merchant_id, livemode }: Tenant): Tenant {
  return { merchant_id, livemode }
}
