import Type from 'typebox'
import { defineRoute } from '../platform/http/route.ts'
import type { ReceiveCallback } from './receive-callback.ts'

/**
 * The door for operators' callbacks. Takes the raw bytes, because signatures are over them, keeps them and answers at once; decides
 * nothing. A forged callback and an unknown operator get the same 404 as any address that does not exist.
 */
export const postCallback = defineRoute({
  auth: 'open',
  method: 'POST',
  path: '/operators/:operator/callbacks',
  operation: 'receiveCallback',
  summary: 'Take what an operator calls to tell us',
  params: { operator: 'text' },
  reads: 'raw',
  replies: { 200: Type.Object({ received: Type.Literal(true) }) },
  errors: { 400: ['invalid_request'], 404: ['resource_not_found'], 500: ['payment_failed'] },
  unreadable: 'invalid_request',
  fault: 'payment_failed',
  async handle({ params, body, headers, address, reply, refuse }, deps: { receiveCallback: ReceiveCallback }) {
    const receipt = await deps.receiveCallback(params.operator, body, headers, address)
    return receipt === 'kept' ? reply(200, { received: true }) : refuse('resource_not_found')
  },
})
