import { Readable } from 'node:stream'
import { type HandlerOptions, type OnEvent, receiver } from './receive.ts'
import { collect, type IncomingLike, SignatureError, signaturesIn } from './webhooks.ts'

export type { HandlerOptions, OnEvent } from './receive.ts'
export type { EventOf, WebhookEvent } from './webhooks.ts'

type Asked = { headers: IncomingLike['headers'] }
type Answering = {
  code(status: number): Answering
  header(name: string, value: string): Answering
  send(text?: string): unknown
}

/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. It takes the bytes before Fastify parses them, on this route
 * alone.
 */
export function handler(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions) {
  const receive = receiver(secret, onEvent, options)
  const taken = new WeakMap<object, Uint8Array>()
  return {
    /** Reads the body of a request that bears a signature. It refuses any other at once, with the connection, so that nobody sends on. */
    async preParsing(request: Asked, reply: Answering, payload: AsyncIterable<Uint8Array>): Promise<unknown> {
      try {
        signaturesIn(request.headers)
        const bytes = Buffer.from(await collect(payload))
        taken.set(request, bytes)
        return Object.assign(Readable.from([bytes]), { receivedEncodedLength: bytes.length })
      } catch (error) {
        if (!(error instanceof SignatureError)) throw error
        return reply.code(400).header('Connection', 'close').send(error.message)
      }
    },
    async handler(request: Asked, reply: Answering): Promise<unknown> {
      const { status, text } = await receive(taken.get(request) ?? '', request.headers)
      return reply.code(status).send(text || undefined)
    },
  }
}
