"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.handler = void 0;
/** For a route file of the app router: `export const POST = handler(secret, async (event) => …)`. */
var edge_ts_1 = require("./edge.js");
Object.defineProperty(exports, "handler", { enumerable: true, get: function () { return edge_ts_1.handler; } });
