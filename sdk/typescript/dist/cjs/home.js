"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.version = exports.url = void 0;
/**
 * The address of the instance that made this package. An instance writes its own in place of the empty text; a package from elsewhere has none,
 * and its clients name a `url`.
 */
exports.url = '';
/** The version of this package, for the user agent. */
exports.version = '0.1.0';
