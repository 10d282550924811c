"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.handler = handler;
const edge_ts_1 = require("./edge.js");
/** Receives webhooks: `app.post('/webhooks', handler(secret, async (event) => …))`. */
function handler(secret, onEvent, options) {
    const handle = (0, edge_ts_1.handler)(secret, onEvent, options);
    return (context) => handle(context.req.raw);
}
