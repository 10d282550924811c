import assert from 'node:assert/strict'
import { createClock } from '../../src/platform/clock.ts'
import type { Closing } from '../../src/refunds/close-refund.ts'
import type { RefundRow } from '../../src/refunds/refund.ts'
import { actor } from '../harness/actor.ts'
import type { Installation } from '../harness/installation.ts'
import {
  type CloseRefundResult,
  type CreateRefundResult,
  closeRefund,
  createRefund,
  type RefundOrder,
} from '../harness/refunds.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Collector } from './collector.ts'
import { PATIENCE } from './sender.ts'

/** The person who asks for refunds in these tests, and the one who closes those by hand. */
export const AMA = 'ama@example.com'
export const KOFI = 'kofi@example.com'

/** The staff's desk for refunds without its commands, for tests that are about races and endings rather than words. */
export type RefundDesk = {
  /** All that is left of a payment, asked for by Ama, unless told otherwise. */
  refund(payment_id: string, more?: Partial<RefundOrder>): Promise<CreateRefundResult>
  /** One that is made now. */
  made(payment_id: string, more?: Partial<RefundOrder>): Promise<RefundRow>
  /** Closes one by hand as paid, as Kofi, who asked for none, unless told otherwise. */
  close(refund_id: string, closing?: Partial<Closing>): Promise<CloseRefundResult>
  until(refund_id: string, status: string): Promise<{ status: string; failure_code: string | null }>
  /** The fees that the service has earned from a merchant, in francs. */
  earned(merchant: Collector): Promise<number>
}

/** An order that says no more than it must. */
export const asked = { key: null, given_seen: null, reason: null, by_hand: false, livemode: null }

export function openRefundDesk({ db: { sql } }: Installation): RefundDesk {
  const desk: RefundDesk = {
    refund(payment_id, more = {}) {
      const deps = { sql, clock: createClock(), canRefund: () => true }
      const order = { ...asked, amount: null, requested_by: actor(AMA) }
      return createRefund(deps, { ...order, payment_id, ...more })
    },
    async made(payment_id, more = {}) {
      const result = await desk.refund(payment_id, more)
      assert.ok(result.kind === 'created', JSON.stringify(result))
      return result.refund
    },
    close(refund_id, closing = {}) {
      const usual = { kind: 'paid', hand_reference: `by hand ${refund_id}`, closed_by: actor(KOFI) }
      return closeRefund({ sql, clock: createClock() }, refund_id, { ...usual, ...closing } as Closing)
    },
    until: (refund_id, status) =>
      waitFor(
        async () => {
          const [row] = await sql<{ status: string; failure_code: string | null }[]>`
            select status, failure_code from refunds where id = ${refund_id}`
          return row!.status === status && row!
        },
        { ...PATIENCE, what: `${refund_id} to be ${status}` },
      ),
    async earned({ tenant }) {
      const [row] = await sql<{ balance: number }[]>`
        select balance from accounts
         where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and account = 'fees'`
      return row!.balance
    },
  }
  return desk
}
