import { receiver } from './receive.js';
/** Receives webhooks as `Deno.serve`, Supabase, Cloudflare and everything with a `fetch` handler want it. */
export function handler(secret, onEvent, options) {
    const receive = receiver(secret, onEvent, options);
    return async (request) => {
        const { status, text } = await receive(request);
        return new Response(text || null, { status });
    };
}
