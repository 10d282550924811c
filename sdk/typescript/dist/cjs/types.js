"use strict";
// Derived from openapi.json by `npm run derive`. Do not edit.
Object.defineProperty(exports, "__esModule", { value: true });
