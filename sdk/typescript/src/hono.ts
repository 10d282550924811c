import { handler as edgeHandler } from './edge.ts'
import type { HandlerOptions, OnEvent } from './receive.ts'

export type { EventOf, HandlerOptions, OnEvent, WebhookEvent } from './edge.ts'

/** Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. */
export function handler(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions) {
  const handle = edgeHandler(secret, onEvent, options)
  return (context: { req: { raw: Request } }): Promise<Response> => handle(context.req.raw)
}
