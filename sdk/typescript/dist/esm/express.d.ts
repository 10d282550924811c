import { type HandlerOptions, type OnEvent } from './receive.js';
import type { IncomingLike } from './webhooks.js';
export type { HandlerOptions, OnEvent } from './receive.js';
export type { EventOf, WebhookEvent } from './webhooks.js';
/** The parts of an answer of Node that we use. */
type Answering = {
    statusCode: number;
    setHeader(name: string, value: string): unknown;
    end(text?: string): unknown;
};
/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`, before `express.json()`. Serves Node's own `http` and the pages
 * router of Next too.
 */
export declare function handler(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions): (request: IncomingLike, response: Answering) => Promise<void>;
