import { type HandlerOptions, type OnEvent, receiver } from './receive.ts'
import type { IncomingLike } from './webhooks.ts'

export type { HandlerOptions, OnEvent } from './receive.ts'
export type { EventOf, WebhookEvent } from './webhooks.ts'

/** The parts of an answer of Node that we use. */
type Answering = { statusCode: number; setHeader(name: string, value: string): unknown; end(text?: string): unknown }

/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`, before `express.json()`. Serves Node's own `http` and the pages
 * router of Next too.
 */
export function handler(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions) {
  const receive = receiver(secret, onEvent, options)
  return async (request: IncomingLike, response: Answering): Promise<void> => {
    const { status, text } = await receive(request)
    response.statusCode = status
    if (text) response.setHeader('Content-Type', 'text/plain; charset=utf-8')
    response.end(text || undefined)
  }
}
