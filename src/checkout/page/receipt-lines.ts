import { writeAmount, writeDate } from '../../platform/http/pages/write-values.ts'
import type { Language } from '../../values/language.ts'
import { showEnd } from '../../values/msisdn.ts'
import { operatorNames } from '../../values/operators.ts'
import { shortReference } from '../../values/short-reference.ts'
import type { Price, Receipt } from './facts.ts'
import { sayIn } from './say.ts'

export type Claim = Pick<Receipt, 'merchant_name' | 'livemode' | 'payment_id' | 'operator' | 'paid_at'> & Price
/** The facts of a receipt that its signed text does not hold. */
export type BesideClaim = Partial<
  Pick<Receipt, 'status' | 'description' | 'merchant_reference' | 'reference_in_address' | 'msisdn_end'>
>

/** A line of a receipt, and its class on the page. */
export type ReceiptLine = { readonly name: string; readonly value: string; readonly kind: string | null }

const titles = {
  succeeded: 'receipt_title',
  refunded: 'receipt_refunded',
  partially_refunded: 'receipt_part_refunded',
} as const satisfies Record<Receipt['status'], string>

export const statusNames = {
  succeeded: 'status_paid',
  refunded: 'status_refunded',
  partially_refunded: 'status_part_refunded',
} as const satisfies Record<Receipt['status'], string>

/** The title of a receipt. That of a test says so. */
export function titleOf({ livemode, status }: Pick<Receipt, 'livemode' | 'status'>, language: Language): string {
  const say = sayIn(language)
  return livemode ? say(titles[status]) : say('receipt_in_test', { status: say(statusNames[status]) })
}

/** The lines of a receipt, for its page, its check and its PDF. In test mode every line with "paid" also says that it is a test. */
export function linesOf(claim: Claim, more: BesideClaim, language: Language): ReceiptLine[] {
  const say = sayIn(language)
  const operator = claim.operator === null ? null : operatorNames[claim.operator]
  const withFee = claim.fee_amount > 0
  const number = more.msisdn_end == null ? null : showEnd(more.msisdn_end)
  const status = more.status === undefined ? null : say(statusNames[more.status])
  const said = status === null || claim.livemode ? status : say('receipt_in_test', { status })
  const lines: readonly (readonly [string, string | null | undefined, (string | null)?])[] = [
    [say(claim.livemode ? 'paid_to' : 'merchant'), claim.merchant_name],
    [say('description'), more.description],
    [say('amount'), withFee ? writeAmount(claim.amount) : null],
    [say('fee'), withFee ? writeAmount(claim.fee_amount) : null, 'fee'],
    [say(claim.livemode ? 'amount_taken' : 'total'), writeAmount(claim.amount_collected), 'all'],
    [say('paid_with'), operator],
    [say('payer_number'), number],
    [say('date'), writeDate(new Date(claim.paid_at), language)],
    [say('reference'), shortReference(claim.payment_id), 'short'],
    [say('long_reference'), claim.payment_id, 'id'],
    [
      say(more.reference_in_address === true ? 'address_reference' : 'merchant_reference'),
      more.merchant_reference,
      'id',
    ],
    [say('status'), said],
  ]
  return lines.flatMap(([name, value, kind = null]) => (typeof value === 'string' ? { name, value, kind } : []))
}
