import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { destinationFields, readDestination } from '../payouts/routes.ts'
import { Amount } from '../words/amount.ts'
import type { BatchOrder } from './create-batch.ts'

type Line = BatchOrder['lines'][number]

const withAmount = Compile(Type.Object({ amount: Amount }))
const withDestination = Compile(Type.Object(destinationFields))
const withReference = Compile(Type.Object({ reference: Type.Optional(Type.String({ maxLength: 255 })) }))

/** One line of a request, or the code that says what is wrong with it; its fields decide in the order of the interface. */
export function readLine(sent: unknown): Line | 'invalid_lines' | 'invalid_amount' | 'invalid_beneficiary' {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return 'invalid_lines'
  if (!withAmount.Check(sent)) return 'invalid_amount'
  const destination = withDestination.Check(sent) ? readDestination(sent) : null
  if (destination === null) return 'invalid_beneficiary'
  if (!withReference.Check(sent)) return 'invalid_lines'
  return { amount: sent.amount, destination, reference: sent.reference ?? null }
}
