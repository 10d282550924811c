import { type HeadersLike, type IncomingLike, type WebhookEvent } from './webhooks.js';
/** Your own work with an event. The service sends it again until you return, so an id may come twice. */
export type OnEvent = (event: WebhookEvent) => unknown;
export type HandlerOptions = {
    /** Seconds that a signature may be old, 300 when absent. */
    tolerance?: number;
    /** Gets what your function threw. Absent: it goes to the console. */
    onError?: (error: unknown) => unknown;
};
/** An answer to the service: 204, 400 with the reason, or 500. */
export type Received = {
    status: 204 | 400 | 500;
    text: string;
};
/** Makes a receiver. @throws TypeError at once when the secret is empty, and not at the first event */
export declare function receiver(secret: string | readonly string[], onEvent: OnEvent, options?: HandlerOptions): (input: Request | IncomingLike | Uint8Array | string, headers?: HeadersLike) => Promise<Received>;
