export { Bandama, type Following, type Waiting } from './client.js';
export { BandamaError, type ErrorKind } from './errors.js';
export type { EventOf, EventType, WebhookEvent } from './events.js';
export type { Attempt, Call, Items, Keyed, Meta, Options, R } from './options.js';
export { type Outcome, outcomeOf } from './outcome.js';
export type * from './types.js';
export type { CreateCheckoutSession as CreateCheckout, CreatePaymentLink as CreateLink } from './types.js';
