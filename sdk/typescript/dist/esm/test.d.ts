import { type WebhookEvent } from './webhooks.js';
/** Payers' numbers of test mode, by what becomes of their payments. */
export declare const numbers: {
    readonly paid: '0700000000';
    readonly insufficientFunds: '0700000001';
    readonly declined: '0700000002';
    readonly expired: '0700000003';
};
/** Returns a webhook as the service would send it, for a test of your handler. @param time seconds since 1970 */
export declare function signed(event: WebhookEvent | Readonly<Record<string, unknown>>, secret: string, { url, time }?: {
    url?: string;
    time?: number;
}): Promise<Request>;
