import type { FastifyInstance } from 'fastify'
import { exchangeOf } from '../platform/http/server.ts'
import { takeBodies } from '../platform/http/take-bodies.ts'
import type { ReceiveCallback } from './receive-callback.ts'

/** A callback is at most this long; operators send a few hundred bytes. */
const CALLBACK_MAX_BYTES = 65_536

/**
 * The door for operators' callbacks: `POST /operators/<operator>/callbacks`. Takes the raw bytes, because signatures are
 * over them, keeps them and answers at once; decides nothing. A forged callback and an unknown operator get the same 404
 * as any address that does not exist.
 */
export function operatorCallbackRoutes(receive: ReceiveCallback) {
  return (fastify: FastifyInstance): void => {
    void fastify.register(async (scope) => {
      takeBodies(scope, CALLBACK_MAX_BYTES)
      scope.post<{ Params: { operator: string }; Body: Buffer | undefined }>(
        '/operators/:operator/callbacks',
        async (request, reply) => {
          const raw = request.body ?? Buffer.alloc(0)
          const from = exchangeOf(request.raw).address
          const receipt = await receive(request.params.operator, raw, request.headers, from)
          if (receipt !== 'kept') return reply.callNotFound()
          return reply.code(200).send({ received: true })
        },
      )
    })
  }
}
