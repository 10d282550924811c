/** For a route file of the app router: `export const POST = handler(secret, async (event) => …)`. */
export { type EventOf, type HandlerOptions, handler, type OnEvent, type WebhookEvent } from './edge.ts'
