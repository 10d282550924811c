/** For a route file of the app router: `export const POST = handler(secret, async (event) => …)`. */
export { handler } from './edge.js';
