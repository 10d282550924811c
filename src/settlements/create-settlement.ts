import { findSettlementCandidates, type SettlementCandidate } from '../beneficiaries/find-destinations.ts'
import { lockAccounts, postTransaction } from '../ledger/post.ts'
import { settlementRequested } from '../ledger/postings.ts'
import { accepted, type Command, refused } from '../platform/commands/command.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Engine, Outcome } from '../platform/commands/engine.ts'
import type { CallFrom, Idempotency } from '../platform/http/call.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { inOrder } from '../platform/postgres/in-order.ts'
import { type Asker, distinctTenants, makerOf, rowKey, tenantKey, tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { decideSettlement, type SettlementFunds, type SettlementRefusal } from './decide-settlement.ts'
import { type DestinationSnapshot, noBankDays, viewSettlement } from './settlement.ts'
import * as store from './store.ts'

export type SettlementOrder = { amount: number; beneficiary_id: string }

/** Answers 202: the settlement waits for validation, and nothing is paid yet. */
export type CreateSettlementResult = Outcome<SettlementRefusal>

type From = CallFrom<Asker, Idempotency>

export type CreateSettlement = (from: From, order: SettlementOrder) => Promise<CreateSettlementResult>

/** The service's rules. The minimum is for merchants without a floor of their own. */
export type SettlementRules = {
  /** In francs. */
  settlement_min: number
  /** Hours between the designation of a destination and the first settlement to it. */
  destination_cooling_hours: number
}

export type SettlementCall = From & { order: SettlementOrder }

type Loaded = {
  /** By `tenantKey`, like `floors`, where a merchant without a floor is absent. */
  funds: Map<string, SettlementFunds>
  floors: Map<string, number>
  /** By `rowKey`. */
  candidates: Map<string, SettlementCandidate>
}

const insertSettlement = defineEffect('new row', store.insertSettlements)

/** One order with its caller, without its idempotency key. */
type Asked = Pick<SettlementCall, 'caller' | 'order'>

/** Locks the balances of the callers, and reads their floors and the destinations that they name. */
export async function loadSettlements(tx: Tx, calls: readonly Asked[], rules: SettlementRules): Promise<Loaded> {
  const tenants = distinctTenants(calls.map(({ caller }) => caller))
  const named = calls.map(({ caller, order }) => ({ ...tenantOf(caller), id: order.beneficiary_id }))
  const [accounts, candidates, floors] = await inOrder([
    lockAccounts(
      tx,
      tenants.flatMap((tenant) => [
        { ...tenant, account: 'available' },
        { ...tenant, account: 'settlements_in_flight' },
      ]),
    ),
    findSettlementCandidates(tx, named, rules.destination_cooling_hours),
    store.readFloors(tx, tenants),
  ])
  const availableTo = (tenant: (typeof tenants)[number]) => accounts.get({ ...tenant, account: 'available' })!.balance
  return {
    funds: new Map(tenants.map((tenant) => [tenantKey(tenant), { available: availableTo(tenant) }])),
    floors: new Map(floors.map((row) => [tenantKey(row), row.minimum])),
    candidates: new Map(candidates.map((row) => [rowKey(row, row.id), row])),
  }
}

/** The facts of one order among those that were loaded. A candidate of null: no such destination. */
export function factsOf({ caller, order }: Asked, { funds, floors, candidates }: Loaded, rules: SettlementRules) {
  const candidate = candidates.get(rowKey(caller, order.beneficiary_id.toLowerCase())) ?? null
  const floor = floors.get(tenantKey(caller)) ?? rules.settlement_min
  return { candidate, floor, funds: funds.get(tenantKey(caller))! }
}

/**
 * Decides one order. The amount leaves the available balance at once, and stays in flight until the staff have decided. Refusals are
 * those of `decideSettlement`, in its order. It reduces the loaded funds.
 */
export function orderSettlement(
  { caller, order: { amount } }: Asked,
  { candidate, floor, funds }: ReturnType<typeof factsOf>,
  now: Date,
) {
  const decision = decideSettlement(funds, floor, {
    amount,
    merchant_active: caller.merchant_active,
    destination: candidate && {
      is_designated: candidate.designated_at !== null && candidate.is_allowed,
      has_cooled: candidate.has_cooled === true,
    },
  })
  if (decision.kind === 'refused') return decision
  const settlement: store.NewSettlement = {
    ...tenantOf(caller),
    ...snapshotOf(candidate!),
    id: newId('stl', now.getTime()),
    amount,
    currency: 'XOF',
    made_by: makerOf(caller),
    created_at: now,
  }
  const about = { ...tenantOf(caller), subject_id: settlement.id }
  return {
    kind: 'ordered',
    settlement,
    body: viewSettlement({ ...settlement, ...undecided }),
    effects: [
      insertSettlement(settlement),
      postTransaction({ ...about, operation: 'settlement_requested', legs: settlementRequested(amount) }),
    ],
  } as const
}

/** The order of a key, for the engine. */
export function createSettlementCommand(rules: SettlementRules): Command<SettlementCall, Loaded, SettlementRefusal> {
  return {
    load: (tx, calls) => loadSettlements(tx, calls, rules),
    decide(call, loaded, now) {
      const facts = factsOf(call, loaded, rules)
      const ordered = orderSettlement(call, facts, now)
      if (ordered.kind === 'refused') {
        const { floor, candidate } = facts
        return refused(ordered.code, messageOf(ordered.code, floor, candidate))
      }
      const { body, effects } = ordered
      return accepted({ status: 202, body }, [...effects])
    },
  }
}

/** Creates the operation that runs `createSettlementCommand` in the engine. */
export function createCreateSettlement({
  engine,
  rules,
}: {
  engine: Engine
  rules: SettlementRules
}): CreateSettlement {
  const create = engine.run(createSettlementCommand(rules))
  return (from, order) => create({ ...from, order })
}

/** Whether only the check of the merchant's file is missing for this designated destination. */
export function isHeldBack({ designated_at, is_allowed }: SettlementCandidate): boolean {
  return designated_at !== null && !is_allowed
}

const undecided = {
  status: 'pending_validation',
  validated_by: null,
  paid_by: null,
  rejected_by: null,
  bank_reference: null,
  ...noBankDays,
  rejection_reason: null,
  validated_at: null,
  paid_at: null,
  rejected_at: null,
  account_taken_at: null,
  account_taken_by: null,
} as const

/** Returns a more precise message for a refusal. Undefined when the usual one suffices. */
function messageOf(code: SettlementRefusal, floor: number, candidate: SettlementCandidate | null): string | undefined {
  const serves_from = candidate?.serves_from ?? null
  if (code === 'destination_non_designee' && candidate !== null && isHeldBack(candidate))
    return 'This account is not checked yet. Until then it is settled only to the number that its owner proved with a payment.'
  if (code === 'sous_le_plancher') return `The smallest settlement is ${floor} francs.`
  if (code !== 'destination_trop_recente' || serves_from === null) return undefined
  return `This destination was designated too recently: it serves from ${secondOf(serves_from)} on.`
}

/** Writes a moment for people, rounded up to the second: `2026-09-01 10:00:00 UTC`. */
function secondOf(moment: Date): string {
  const second = new Date(Math.ceil(moment.getTime() / 1_000) * 1_000).toISOString()
  return `${second.slice(0, 10)} ${second.slice(11, 19)} UTC`
}

/** Returns the copy of a destination that the settlement keeps. */
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
