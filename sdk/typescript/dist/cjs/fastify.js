"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.handler = handler;
const node_stream_1 = require("node:stream");
const receive_ts_1 = require("./receive.js");
const webhooks_ts_1 = require("./webhooks.js");
/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. It takes the bytes before Fastify parses them, on this route
 * alone.
 */
function handler(secret, onEvent, options) {
    const receive = (0, receive_ts_1.receiver)(secret, onEvent, options);
    const taken = new WeakMap();
    return {
        /** Reads the body of a request that bears a signature. It refuses any other at once, with the connection, so that nobody sends on. */
        async preParsing(request, reply, payload) {
            try {
                (0, webhooks_ts_1.signaturesIn)(request.headers);
                const bytes = Buffer.from(await (0, webhooks_ts_1.collect)(payload));
                taken.set(request, bytes);
                return Object.assign(node_stream_1.Readable.from([bytes]), { receivedEncodedLength: bytes.length });
            }
            catch (error) {
                if (!(error instanceof webhooks_ts_1.SignatureError))
                    throw error;
                return reply.code(400).header('Connection', 'close').send(error.message);
            }
        },
        async handler(request, reply) {
            const { status, text } = await receive(taken.get(request) ?? '', request.headers);
            return reply.code(status).send(text || undefined);
        },
    };
}
