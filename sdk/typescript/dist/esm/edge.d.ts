import { type HandlerOptions, type OnEvent } from './receive.js';
export type { HandlerOptions, OnEvent } from './receive.js';
export type { EventOf, WebhookEvent } from './webhooks.js';
/** Receives webhooks as `Deno.serve`, Supabase, Cloudflare and everything with a `fetch` handler want it. */
export declare function handler(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions): (request: Request) => Promise<Response>;
