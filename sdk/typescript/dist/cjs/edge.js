"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.handler = handler;
const receive_ts_1 = require("./receive.js");
/** Receives webhooks as `Deno.serve`, Supabase, Cloudflare and everything with a `fetch` handler want it. */
function handler(secret, onEvent, options) {
    const receive = (0, receive_ts_1.receiver)(secret, onEvent, options);
    return async (request) => {
        const { status, text } = await receive(request);
        return new Response(text || null, { status });
    };
}
