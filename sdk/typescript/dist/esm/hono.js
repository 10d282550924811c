import { handler as edgeHandler } from './edge.js';
/** Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. */
export function handler(secret, onEvent, options) {
    const handle = edgeHandler(secret, onEvent, options);
    return (context) => handle(context.req.raw);
}
