import { SignatureError, secretsIn, verify, } from './webhooks.js';
/** Makes a receiver. @throws TypeError at once when the secret is empty, and not at the first event */
export function receiver(secret, onEvent, options = {}) {
    const secrets = secretsIn(secret);
    return async (input, headers) => {
        try {
            await onEvent(await verify(input, secrets, { ...options, ...(headers && { headers }) }));
            return { status: 204, text: '' };
        }
        catch (error) {
            // The service keeps the sentence with the attempt, where the console shows it.
            if (error instanceof SignatureError)
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
