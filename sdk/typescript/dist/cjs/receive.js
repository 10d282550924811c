"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.receiver = receiver;
const webhooks_ts_1 = require("./webhooks.js");
/** Makes a receiver. @throws TypeError at once when the secret is empty, and not at the first event */
function receiver(secret, onEvent, options = {}) {
    const secrets = (0, webhooks_ts_1.secretsIn)(secret);
    return async (input, headers) => {
        try {
            await onEvent(await (0, webhooks_ts_1.verify)(input, secrets, { ...options, ...(headers && { headers }) }));
            return { status: 204, text: '' };
        }
        catch (error) {
            // The service keeps the sentence with the attempt, where the console shows it.
            if (error instanceof webhooks_ts_1.SignatureError)
                return { status: 400, text: error.message };
            void tell(error, options);
            return { status: 500, text: '' };
        }
    };
}
/** Tells the program what its function threw. Nobody waits for it, and its own fault does not cost the service its answer. */
async function tell(error, { onError }) {
    // biome-ignore lint/suspicious/noConsole: an error that nobody sees would cost an evening.
    const show = (one) => console.error(one);
    try {
        await (onError ?? show)(error);
    }
    catch (another) {
        show(another);
    }
}
