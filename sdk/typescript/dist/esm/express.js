import { receiver } from './receive.js';
/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`, before `express.json()`. Serves Node's own `http` and the pages
 * router of Next too.
 */
export function handler(secret, onEvent, options) {
    const receive = receiver(secret, onEvent, options);
    return async (request, response) => {
        const { status, text } = await receive(request);
        response.statusCode = status;
        if (text)
            response.setHeader('Content-Type', 'text/plain; charset=utf-8');
        response.end(text || undefined);
    };
}
