import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { destinationFields, readDestination } from '../payouts/routes.ts'
import { Amount } from '../words/amount.ts'
import type { BatchOrder } from './create-batch.ts'

type Line = BatchOrder['lines'][number]

/** A line as a batch's request names it. */
export const LineRequest = Type.Object({
  amount: Amount,
  ...destinationFields,
  reference: Type.Optional(Type.String({ maxLength: 255 })),
})

const whole = Compile(LineRequest)
const amount = Compile(Amount)
const reference = Compile(Type.Optional(Type.String({ maxLength: 255 })))

/** One line of a request, or the code that says what is wrong with it; its fields decide in the order of the interface. */
export function readLine(sent: unknown): Line | 'invalid_lines' | 'invalid_amount' | 'invalid_beneficiary' {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return 'invalid_lines'
  const fields = sent as Record<string, unknown>
  if (!amount.Check(fields.amount)) return 'invalid_amount'
  if (!whole.Check(sent)) {
    const referenceIsWrong = fields.reference !== undefined && !reference.Check(fields.reference)
    return referenceIsWrong ? 'invalid_lines' : 'invalid_beneficiary'
  }
  const destination = readDestination(sent)
  if (destination === null) return 'invalid_beneficiary'
  return { amount: sent.amount, destination, reference: sent.reference ?? null }
}
