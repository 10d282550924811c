"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.numbers = void 0;
exports.signed = signed;
const webhooks_ts_1 = require("./webhooks.js");
/** Payers' numbers of test mode, by what becomes of their payments. */
exports.numbers = {
    paid: '0700000000',
    insufficientFunds: '0700000001',
    declined: '0700000002',
    expired: '0700000003',
};
/** Returns a webhook as the service would send it, for a test of your handler. @param time seconds since 1970 */
async function signed(event, secret, { url = 'http://localhost/webhooks', time } = {}) {
    const body = JSON.stringify(event);
    return new Request(url, {
        method: 'POST',
        headers: {
            'Content-Type': 'application/json',
            'Service-Event-Id': String(event.id),
            'Service-Signature': await (0, webhooks_ts_1.sign)(body, secret, time),
        },
        body,
    });
}
