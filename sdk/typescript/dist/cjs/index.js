"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.outcomeOf = exports.BandamaError = exports.Bandama = void 0;
var client_ts_1 = require("./client.js");
Object.defineProperty(exports, "Bandama", { enumerable: true, get: function () { return client_ts_1.Bandama; } });
var errors_ts_1 = require("./errors.js");
Object.defineProperty(exports, "BandamaError", { enumerable: true, get: function () { return errors_ts_1.BandamaError; } });
var outcome_ts_1 = require("./outcome.js");
Object.defineProperty(exports, "outcomeOf", { enumerable: true, get: function () { return outcome_ts_1.outcomeOf; } });
