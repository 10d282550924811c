import { Readable } from 'node:stream';
import { type HandlerOptions, type OnEvent } from './receive.js';
import type { IncomingLike } from './webhooks.js';
export type { HandlerOptions, OnEvent } from './receive.js';
export type { EventOf, WebhookEvent } from './webhooks.js';
type Asked = {
    headers: IncomingLike['headers'];
};
type Answering = {
    code(status: number): {
        send(text?: string): unknown;
    };
};
/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. It takes the bytes before Fastify parses them, on this route
 * alone.
 */
export declare function handler(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions): {
    preParsing(request: Asked, _reply: unknown, payload: AsyncIterable<Uint8Array>): Promise<Readable>;
    handler(request: Asked, reply: Answering): Promise<unknown>;
};
