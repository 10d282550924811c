import Type from 'typebox'
import { destinationFields, explainDestination, readDestination } from '../payouts/routes.ts'
import { describe, fieldChecker, nullRemover } from '../platform/http/field-checker.ts'
import { Amount } from '../values/amount.ts'
import type { BatchOrder } from './create-batch.ts'

type Line = BatchOrder['lines'][number]

const LineRequest = Type.Object({
  amount: Amount,
  ...destinationFields,
  reference: Type.Optional(Type.String({ maxLength: 255 })),
})
type LineRequest = Type.Static<typeof LineRequest>

const withoutNulls = nullRemover(LineRequest)

const wrongField = fieldChecker(LineRequest, {
  amount: 'invalid_amount',
  beneficiary_id: 'invalid_beneficiary',
  beneficiary: 'invalid_beneficiary',
  otherwise: 'invalid_lines',
})

/** Reads one line of a request, or returns its first fault, in the interface's order of fields. */
export function readLine(
  sent: unknown,
): Line | { wrong: 'invalid_lines' | 'invalid_amount' | 'invalid_beneficiary'; message: string } {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return { wrong: 'invalid_lines', message: `A line must be an object, but ${describe(sent)} was sent.` }
  }
  const line = withoutNulls(sent) as LineRequest
  const wrong = wrongField(line)
  // The reference is checked last, after the destination.
  const readable = wrong === null || wrong.code === 'invalid_lines'
  const destination = readable ? readDestination(line) : null
  if (readable && destination === null) return { wrong: 'invalid_beneficiary', message: explainDestination(line) }
  if (wrong !== null || destination === null) {
    return { wrong: wrong!.code as 'invalid_lines', message: wrong!.message }
  }
  return { amount: line.amount, destination, reference: line.reference ?? null }
}
