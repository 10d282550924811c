import { postTransaction } from '../ledger/post.ts'
import { operatorCharged } from '../ledger/postings.ts'
import type { Charge } from '../operators/float/charge.ts'
import type { InstructionKey } from '../operators/instruction.ts'
import type { BookCharge } from '../operators/sending/record/received-answer.ts'
import { defineReaction, type Effect } from '../platform/commands/effects.ts'
import { lockRefunds } from '../refunds/store.ts'

type Charged = InstructionKey & Charge

/** Books an operator's charge for an order, in the account in which the order's money moved. */
export const bookCharge: BookCharge = (charged) =>
  charged.subject_id.startsWith('rfd_') ? chargeRefund(charged) : charge(charged)

/** A refund names its account itself: one that it left before another wallet took refunds. Null: it ended before refunds named one. */
const chargeRefund = defineReaction<Charged>('refund', async (tx, charges) => {
  const keys = charges.map(({ merchant_id, livemode, subject_id: refund_id }) => ({ merchant_id, livemode, refund_id }))
  const wallets = new Map((await lockRefunds(tx, keys)).map(({ id, wallet }) => [id, wallet]))
  return charges.map((charged) => charge({ ...charged, wallet: wallets.get(charged.subject_id) ?? charged.wallet }))
})

function charge({ wallet, amount, corrects, ...about }: Charged): Effect {
  const operation = corrects ? 'operator_charge_corrected' : 'operator_charged'
  return postTransaction({ ...about, operation, legs: operatorCharged({ wallet, amount }) })
}
