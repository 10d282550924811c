import { matchesGlob } from 'node:path'

/**
 * The files that a landing leaves to `npm run nightly`, because they take long and what they hold changes rarely: several machines, random
 * kills, short runs of the benches, other runtimes of the SDK, a shop on WooCommerce,
 * requests made from openapi.json by a tool from outside.
 */
const OF_THE_NIGHT = [
  'tests/cluster/**',
  'tests/benches/**',
  'tests/fuzz/**',
  'tests/faults/*kills*.test.ts',
  'tests/faults/backups-kept.test.ts',
  'tests/sdk/runtimes.test.ts',
  'tests/ship/**',
  'tests/shop/**',
]

/** The files about pages, keys and files of one's own, which read the mode from a column and ask the operator nothing of their own. */
const WITHOUT_ORDERS = [
  'tests/contract/checkout-security.test.ts',
  'tests/contract/idempotency.test.ts',
  'tests/contract/statement-files.test.ts',
  'tests/contract/statements.test.ts',
]

/** The files whose pass in live mode a landing leaves to the night. A landing draws each page once, in test mode. */
const LIVE_OF_THE_NIGHT = ['tests/browser/**', ...WITHOUT_ORDERS]

/** Returns whether a test file runs in a mode only at night. */
export function isOfTheNight(file: string, { live }: { live: boolean }): boolean {
  const left = live ? [...OF_THE_NIGHT, ...LIVE_OF_THE_NIGHT] : OF_THE_NIGHT
  return left.some((pattern) => matchesGlob(file, pattern))
}

/** A part of the night: words for `npm test`, with settings. */
export type NightlyPart = { name: string; words: string[]; env?: Record<string, string> }

/** Everything that a landing leaves out, in the order in which it runs. Hours on two cores. */
export const nightly: readonly NightlyPart[] = [
  { name: 'several machines', words: ['--test-concurrency=2', 'tests/cluster'] },
  { name: 'kills', words: ['tests/faults/{crash,*kills*,crash-points,backups-kept}.test.ts'], env: { KILLS: '20' } },
  {
    name: 'kills of batches, in live mode',
    words: ['--live', 'tests/faults/crash-points.test.ts'],
    env: { KILLS: '20' },
  },
  { name: 'what asks no operator, in live mode', words: ['--live', ...WITHOUT_ORDERS] },
  { name: 'long race for a balance', words: ['tests/faults/payout-funds.test.ts'], env: { FUNDS_ROUNDS: '200' } },
  { name: 'long run of the feed', words: ['tests/faults/feed.test.ts'], env: { FEED_EVENTS: '100000' } },
  { name: 'long run of bdm listen', words: ['tests/sdk/bdm-listen.test.ts'], env: { BDM_EVENTS: '20000' } },
  { name: 'the image and the proxies', words: ['tests/ship'] },
  { name: 'runtimes of the SDK', words: ['tests/sdk/runtimes.test.ts'] },
  {
    name: 'long runs of the SDKs on a bad line',
    words: ['tests/sdk/conformance/bad-line.test.ts'],
    env: { SDK_CALLS: '10000' },
  },
  // Passes over its tests unless WOOCOMMERCE names the folder of a shop's WooCommerce.
  { name: 'a shop on WooCommerce', words: ['tests/shop'] },
  { name: 'short runs of the benches', words: ['tests/benches'] },
  { name: 'pages in both colour schemes', words: ['tests/browser'], env: { LOOKS: 'all' } },
  {
    name: 'pages in live mode',
    words: ['--live', 'tests/browser/{paying,links,twice}.test.ts'],
    env: { LOOKS: 'all' },
  },
  {
    name: 'long searches for bad input',
    words: ['tests/contract/hostile-input.test.ts', 'tests/contract/sweep-hostile.test.ts'],
    env: { FUZZ_RUNS: '20' },
  },
  { name: 'fuzz of the description', words: ['tests/fuzz'] },
  { name: 'long comparison with the model', words: ['tests/model'], env: { FUZZ_RUNS: '20' } },
  {
    name: 'everything on the oldest PostgreSQL',
    words: ['--on-oldest', 'src', 'tests/!(cluster|browser|benches)/**/*.test.ts'],
  },
]
