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
            // biome-ignore lint/suspicious/noConsole: an error that nobody sees would cost an evening.
            const tell = options.onError ?? console.error;
            tell(error);
            return { status: 500, text: '' };
        }
    };
}
