"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.handler = handler;
const receive_ts_1 = require("./receive.js");
/**
 * Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`, before `express.json()`. Serves Node's own `http` and the pages
 * router of Next too.
 */
function handler(secret, onEvent, options) {
    const receive = (0, receive_ts_1.receiver)(secret, onEvent, options);
    return async (request, response) => {
        const { status, text } = await receive(request);
        response.statusCode = status;
        if (text)
            response.setHeader('Content-Type', 'text/plain; charset=utf-8');
        response.end(text || undefined);
    };
}
