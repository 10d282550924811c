// Derived from openapi.json by `npm run derive`. Do not edit.
export {};
