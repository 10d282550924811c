import type { Instruction } from '../operators/instruction.ts'
import { connectorOf, type Registry } from '../operators/routing/registry.ts'
import { readRefundBefore } from '../operators/sending/sending-store.ts'
import { readInstruction } from '../operators/store.ts'
import { findPayment } from '../payments/store.ts'
import type { Db } from '../platform/postgres/database.ts'
import { readTransitions, type TransitionRead } from '../platform/postgres/record-transitions.ts'
import type { Tenant } from '../values/caller.ts'
import type { RefundRow } from './refund.ts'
import * as store from './store.ts'

/** Refunds shown together at most. */
const SHOWN_MAX = 500

/** One refund; null when there is none. For the team, which may see every merchant's. */
export function readRefund(db: Db, refund_id: string): Promise<RefundRow | null> {
  return store.findRefund(db, refund_id)
}

/** One refund with how it came to where it is; null when there is none of this id. */
export async function readRefundFile(
  db: Db,
  refund_id: string,
): Promise<{ refund: RefundRow; moves: TransitionRead[] } | null> {
  const refund = await store.findRefund(db, refund_id)
  if (refund === null) return null
  return { refund, moves: await readTransitions(db, 'refund_transitions_log', 'refund_id', refund) }
}

/** The people who made and closed a refund are of the service's team: their names, and their keys, stay there. */
const shownToMerchant = [
  'id',
  'payment_id',
  'amount',
  'amount_returned',
  'fee_amount',
  'net_amount',
  'currency',
  'status',
  'operator',
  'by_hand',
  'reason',
  'hand_reference',
  'closing_reason',
  'failure_code',
  'created_at',
  'concluded_at',
] as const satisfies readonly (keyof RefundRow)[]

/** A refund as its merchant sees it. */
export type OwnRefund = Pick<RefundRow, (typeof shownToMerchant)[number]>

/** One refund of a merchant with how it came to where it is; null when it is not this caller's. */
export async function readOwnRefund(
  db: Db,
  key: store.RefundKey,
): Promise<{ refund: OwnRefund; moves: TransitionRead[]; instruction: Instruction | null } | null> {
  const { refund_id, ...tenant } = key
  const [row, moves, instruction] = await Promise.all([
    store.readRefund(db, key),
    readTransitions(db, 'refund_transitions_log', 'refund_id', { ...tenant, id: refund_id }),
    readInstruction(db, { ...tenant, subject_id: refund_id }),
  ])
  if (row === null) return null
  const refund = Object.fromEntries(shownToMerchant.map((name) => [name, row[name]])) as OwnRefund
  return { refund, moves, instruction }
}

/** A merchant's refunds in one mode, the newest first, 500 at most. */
export function readRefundsOfMerchant(db: Db, tenant: Tenant): Promise<RefundRow[]> {
  return store.readRefunds(db, tenant, SHOWN_MAX)
}

/** A payment's refunds in the order in which they were asked for; null when there is no such payment. */
export async function readRefundsOfPayment(db: Db, payment_id: string): Promise<RefundRow[] | null> {
  const key = await findPayment(db, payment_id)
  return key === null ? null : store.readRefundsOf(db, key, SHOWN_MAX)
}

/** Refunds that a person makes, or that have not left for an hour, of every merchant, the oldest first, 500 at most. @param livemode null: of both modes */
export function readWaitingRefunds(db: Db, livemode: boolean | null): Promise<RefundRow[]> {
  return store.readWaitingRefunds(db, livemode, SHOWN_MAX)
}

/**
 * The refund that this one waits for, unsent, because its operator takes those of one payment one after another; null: it waits for none.
 */
export async function readAwaitedRefund(
  { sql, registry }: { sql: Db; registry: Pick<Registry, 'connectorNamed'> },
  key: store.RefundKey,
): Promise<string | null> {
  const before = await readRefundBefore(sql, key)
  if (before === null) return null
  const instruction = await readInstruction(sql, { ...key, subject_id: key.refund_id })
  const waits = instruction?.state === 'prepared' && connectorOf(registry, instruction)?.refundsInTurn === true
  return waits ? before : null
}
