import { Readable } from 'node:stream'
import { type HandlerOptions, type OnEvent, receiver } from './receive.ts'
import type { IncomingLike } from './webhooks.ts'

export type { HandlerOptions, OnEvent } from './receive.ts'
export type { EventOf, WebhookEvent } from './webhooks.ts'

type Asked = { headers: IncomingLike['headers'] }
type Answering = { code(status: number): { send(text?: string): unknown } }

/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. It takes the bytes before Fastify parses them, on this route
 * alone.
 */
export function handler(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions) {
  const receive = receiver(secret, onEvent, options)
  const taken = new WeakMap<object, Buffer>()
  return {
    async preParsing(request: Asked, _reply: unknown, payload: AsyncIterable<Uint8Array>): Promise<Readable> {
      const parts: Uint8Array[] = []
      for await (const part of payload) parts.push(part)
      const bytes = Buffer.concat(parts)
      taken.set(request, bytes)
      return Object.assign(Readable.from([bytes]), { receivedEncodedLength: bytes.length })
    },
    async handler(request: Asked, reply: Answering): Promise<unknown> {
      const { status, text } = await receive(taken.get(request) ?? '', request.headers)
      return reply.code(status).send(text || undefined)
    },
  }
}
