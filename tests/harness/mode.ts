import type { Mode } from './merchant.ts'

/**
 * The mode of the tests for both modes. With TEST_MODE=live, as with `npm test -- --live`, merchants have live keys and the operators'
 * twin executes their orders. Otherwise they have test keys, and the simulator does.
 */
export const mode: Mode = process.env.TEST_MODE === 'live' ? 'live' : 'test'
export const livemode = mode === 'live'
export const otherMode: Mode = livemode ? 'test' : 'live'
