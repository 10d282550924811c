import { type HandlerOptions, type OnEvent, receiver } from './receive.ts'

export type { HandlerOptions, OnEvent } from './receive.ts'
export type { EventOf, WebhookEvent } from './webhooks.ts'

/** Receives webhooks as `Deno.serve`, Supabase, Cloudflare and everything with a `fetch` handler want it. */
export function handler(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions) {
  const receive = receiver(secret, onEvent, options)
  return async (request: Request): Promise<Response> => {
    const { status, text } = await receive(request)
    return new Response(text || null, { status })
  }
}
