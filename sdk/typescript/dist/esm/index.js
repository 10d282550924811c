export { Bandama } from './client.js';
export { BandamaError } from './errors.js';
export { outcomeOf } from './outcome.js';
