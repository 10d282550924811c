"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.handler = handler;
const node_stream_1 = require("node:stream");
const receive_ts_1 = require("./receive.js");
/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. It takes the bytes before Fastify parses them, on this route
 * alone.
 */
function handler(secret, onEvent, options) {
    const receive = (0, receive_ts_1.receiver)(secret, onEvent, options);
    const taken = new WeakMap();
    return {
        async preParsing(request, _reply, payload) {
            const parts = [];
            for await (const part of payload)
                parts.push(part);
            const bytes = Buffer.concat(parts);
            taken.set(request, bytes);
            return Object.assign(node_stream_1.Readable.from([bytes]), { receivedEncodedLength: bytes.length });
        },
        async handler(request, reply) {
            const { status, text } = await receive(taken.get(request) ?? '', request.headers);
            return reply.code(status).send(text || undefined);
        },
    };
}
