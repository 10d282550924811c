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

/** The most refunds in one list. */
const SHOWN_MAX = 500

/** Reads one refund of any merchant, for staff. Null when there is none. */
export function readRefund(db: Db, refund_id: string): Promise<RefundRow | null> {
  return store.findRefund(db, refund_id)
}

/** Reads one refund with its history, for staff. Null when there is none. */
export async function readRefundFile(
  db: Db,
  refund_id: string,
): Promise<{ refund: RefundRow; moves: TransitionRead[] } | null> {
  const refund = await store.findRefund(db, refund_id)
  if (refund === null) return null
  return { refund, moves: await readTransitions(db, 'refund_transitions_log', 'refund_id', refund) }
}

/** The fields that the merchant sees: without the people who made and closed the refund, who are staff, and without its key. */
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

/** Reads one refund of a merchant with its history. Null when it is not this caller's. */
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

/** Lists a merchant's refunds in one mode, newest first, at most 500. */
export function readRefundsOfMerchant(db: Db, tenant: Tenant): Promise<RefundRow[]> {
  return store.readRefunds(db, tenant, SHOWN_MAX)
}

/** Lists a payment's refunds, oldest first. Null when there is no such payment. */
export async function readRefundsOfPayment(db: Db, payment_id: string): Promise<RefundRow[] | null> {
  const key = await findPayment(db, payment_id)
  return key === null ? null : store.readRefundsOf(db, key, SHOWN_MAX)
}

/**
 * Lists the refunds of all merchants that need a person: to be made by hand, or unsent for an hour. Oldest first, at most 500.
 * @param livemode null: both modes
 */
export function readWaitingRefunds(db: Db, livemode: boolean | null): Promise<RefundRow[]> {
  return store.readWaitingRefunds(db, livemode, SHOWN_MAX)
}

/**
 * The refund of the same payment that an unsent refund waits for, because its operator accepts one at a time. Null when it waits for
 * none.
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
