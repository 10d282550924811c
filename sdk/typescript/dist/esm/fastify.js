import { Readable } from 'node:stream';
import { receiver } from './receive.js';
import { collect, SignatureError, signaturesIn } from './webhooks.js';
/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. It takes the bytes before Fastify parses them, on this route
 * alone.
 */
export function handler(secret, onEvent, options) {
    const receive = receiver(secret, onEvent, options);
    const taken = new WeakMap();
    return {
        /** Reads the body of a request that bears a signature. It refuses any other at once, with the connection, so that nobody sends on. */
        async preParsing(request, reply, payload) {
            try {
                signaturesIn(request.headers);
                const bytes = Buffer.from(await collect(payload));
                taken.set(request, bytes);
                return Object.assign(Readable.from([bytes]), { receivedEncodedLength: bytes.length });
            }
            catch (error) {
                if (!(error instanceof SignatureError))
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
