import type { HandlerOptions, OnEvent } from './receive.js';
export type { EventOf, HandlerOptions, OnEvent, WebhookEvent } from './edge.js';
/** Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. */
export declare function handler(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions): (context: {
    req: {
        raw: Request;
    };
}) => Promise<Response>;
