import { type HandlerOptions, type OnEvent } from './receive.js';
import { type IncomingLike } from './webhooks.js';
export type { HandlerOptions, OnEvent } from './receive.js';
export type { EventOf, WebhookEvent } from './webhooks.js';
type Asked = {
    headers: IncomingLike['headers'];
};
type Answering = {
    code(status: number): Answering;
    header(name: string, value: string): Answering;
    send(text?: string): unknown;
};
/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. It takes the bytes before Fastify parses them, on this route
 * alone.
 */
export declare function handler(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions): {
    /** Reads the body of a request that bears a signature. It refuses any other at once, with the connection, so that nobody sends on. */
    preParsing(request: Asked, reply: Answering, payload: AsyncIterable<Uint8Array>): Promise<unknown>;
    handler(request: Asked, reply: Answering): Promise<unknown>;
};
