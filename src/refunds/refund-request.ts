import { defineEffect } from '../platform/commands/effects.ts'
import { defineTransition } from '../platform/commands/transitions.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { insertRows, lockById } from '../platform/postgres/rows.ts'
import { secondsSince } from '../platform/postgres/seconds-since.ts'
import type { Tenant } from '../values/caller.ts'
import type { Words } from '../values/language.ts'
import type { Transition } from '../values/transition.ts'

/** Why a merchant asks for a refund. */
export const refundReasons = {
  returned: ['Article rendu', 'Goods returned'],
  twice: ['Payé deux fois', 'Paid twice'],
  wrong_amount: ['Montant faux', 'Wrong amount'],
  cancelled: ['Commande annulée', 'Order cancelled'],
  other: ['Autre', 'Other'],
} as const satisfies Record<string, Words>
export type RefundReason = keyof typeof refundReasons

export type RefundRequestStatus = 'asked' | 'accepted' | 'refused' | 'withdrawn'

/** A refund that a merchant asks for. Nothing is set aside: the decision refuses it if the available balance does not cover it then. */
export type RefundRequest = Tenant & {
  readonly id: string
  readonly payment_id: string
  /** Francs of the payment's amount. Null: all that is left. */
  readonly amount: number | null
  readonly reason: RefundReason
  readonly note: string | null
  readonly status: RefundRequestStatus
  readonly asked_by: string
  readonly asked_at: Date
  readonly decided_by: string | null
  readonly decided_at: Date | null
  /** Why it was refused, for the merchant. */
  readonly answer: string | null
  /** The refund that it led to. */
  readonly refund_id: string | null
}

const columns = [
  ...['merchant_id', 'livemode', 'id', 'payment_id', 'amount', 'reason', 'note', 'status', 'asked_by', 'asked_at'],
  ...['decided_by', 'decided_at', 'answer', 'refund_id'],
]

/** The most requests in one list. */
const SHOWN_MAX = 500

export const insertRequest = defineEffect<
  Omit<RefundRequest, 'status' | 'decided_by' | 'decided_at' | 'answer' | 'refund_id'>
>('new row', (tx, rows) => insertRows(tx, 'refund_requests', rows))

/** Locks a request by its id until the transaction ends. Null when there is none. */
export function lockRequest(tx: Tx, id: string): Promise<RefundRequest | null> {
  return lockById<RefundRequest>(tx, 'refund_requests', columns, id)
}

/** Seconds for which the oldest request has waited for its decision. 0 when there is none. */
export async function readRefundRequestWait(db: Db): Promise<number> {
  return secondsSince(db, db`select min(asked_at) from refund_requests where status = 'asked'`)
}

/** Reads a request of any merchant, for staff. Null when there is none. */
export async function readRequest(db: Db, id: string): Promise<RefundRequest | null> {
  const [row] = await db<RefundRequest[]>`
    select ${db(columns)}
      from refund_requests
     where id = ${id}`
  return row ?? null
}

type OfPayment = Tenant & { readonly payment_id: string }

/** Reads the newest request about a payment. Null when there was none. */
export async function readLastRequest(
  db: Db,
  { merchant_id, livemode, payment_id }: OfPayment,
): Promise<RefundRequest | null> {
  const [row] = await db<RefundRequest[]>`
    select ${db(columns)}
      from refund_requests
     where merchant_id = ${merchant_id} and livemode = ${livemode} and payment_id = ${payment_id}
     order by asked_at desc, id desc
     limit 1`
  return row ?? null
}

/** Reads the request about a payment that waits. Under the payment's lock no other begins. Null: none waits. */
export async function readWaitingRequest(
  db: Db,
  { merchant_id, livemode, payment_id }: OfPayment,
): Promise<RefundRequest | null> {
  const [row] = await db<RefundRequest[]>`
    select ${db(columns)}
      from refund_requests
     where merchant_id = ${merchant_id} and livemode = ${livemode} and payment_id = ${payment_id} and status = 'asked'`
  return row ?? null
}

/** Lists the requests of all merchants that wait in one mode, oldest first. */
export function readWaitingRequests(db: Db, livemode: boolean): Promise<RefundRequest[]> {
  return db<RefundRequest[]>`
    select ${db(columns)}
      from refund_requests
     where status = 'asked' and livemode = ${livemode}
     order by asked_at, id
     limit ${SHOWN_MAX}`
}

/** Every transition of a request. */
export const requestTransitions = [
  { from: 'asked', trigger: 'refunded', to: 'accepted', event: null },
  { from: 'asked', trigger: 'refused_by_company', to: 'refused', event: null },
  { from: 'asked', trigger: 'withdrawn_by_merchant', to: 'withdrawn', event: null },
] as const satisfies readonly Transition<RefundRequestStatus>[]

type Facts = { readonly decided_by: string; readonly answer?: string; readonly refund_id?: string }

/** Moves a locked request along its table; see `defineTransition`. */
export const transitionRequest = defineTransition({
  rank: 'refund request',
  transitions: requestTransitions,
  write: updateRequests,
  change: (
    _: RefundRequest,
    __,
    {
      decided_by,
      answer = null,
      refund_id = null,
    }: Omit<Facts, 'answer' | 'refund_id'> & {
      answer?: string | null
      refund_id?: string | null
    },
    now,
  ) => ({ decided_by, decided_at: now, answer, refund_id }),
})

async function updateRequests(tx: Tx, decided: readonly RefundRequest[]): Promise<void> {
  for (const { merchant_id, livemode, id, status, decided_by, decided_at, answer, refund_id } of decided) {
    await tx`
      update refund_requests
         set status = ${status}, decided_by = ${decided_by}, decided_at = ${decided_at}, answer = ${answer}, refund_id = ${refund_id}
       where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`
  }
}
