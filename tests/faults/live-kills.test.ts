import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveOperators } from '../harness/live-twin.ts'
import { openSeed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { confirmAll, type KeyedRequest } from './keyed-requests.ts'
import { countEnds, killUnder, openLiveInstallation, readOpenOrders } from './live-installation.ts'

// Live mode over real contracts: a service killed during its sends ends all orders by itself, and no telephone pays or is paid twice.

const KILLS = 2
const PAYMENTS = 50
const PAYOUTS = 50
const ENDS_MS = 90_000
/** A payout that Wave does not hold waits a minute before it is sent again: `npm run fire` has the time for that. */
const quick = liveOperators.filter(({ operator }) => operator !== 'wave_ci')

test('a service killed twice while it sends live payments and payouts ends them all by itself, and executes none twice', async (t) => {
  const seed = openSeed(t)
  await using live = await openLiveInstallation(seed, 5, quick)
  // Slow answers, so that the kill falls into a call, and a few refusals.
  live.twin.fault({ fault: 'late_answer', after_seconds: 0.2 })
  live.twin.script({ outcome: 'succeed' })
  live.twin.script({ outcome: 'fail', direction: 'collection', reason: 'payer_insufficient_funds', share: 0.1 })
  live.twin.script({ outcome: 'fail', direction: 'payout', reason: 'recipient_not_found', share: 0.1 })

  const requests: KeyedRequest[] = []
  let service = await live.start()
  for (let kill = 0; kill < KILLS; kill += 1) {
    const payments = Array.from({ length: PAYMENTS }, live.newPayment)
    const burst = [...payments, ...Array.from({ length: PAYOUTS }, live.newPayout)]
    requests.push(...burst)
    const { held, never_held } = await killUnder(live, service, seed, { requests: burst, enough: 15 })
    assert.ok(held + never_held > 0, 'it was killed while sends were under way')
    t.diagnostic(`killed with ${held} sent and not answered, ${never_held} about to be sent`)
    service = await live.start()
  }
  const restarted = performance.now()
  await confirmAll(service.address, requests)
  await waitFor(async () => (await readOpenOrders(live.sql)).length === 0, {
    deadline_ms: ENDS_MS,
    what: 'everything to end',
  }).catch(async (error) =>
    assert.fail(`${error.message} ${JSON.stringify((await readOpenOrders(live.sql)).slice(0, 5))}`),
  )
  t.diagnostic(`all ended ${Math.round(performance.now() - restarted)} ms after the last restart`)
  await service.stop()
  const { sent_again, ...ends } = await countEnds(live)
  t.diagnostic(`${sent_again} were sent again`)
  assert.deepEqual(ends, {
    orders: requests.length,
    executed_twice: 0,
    untrue: 0,
    for_people: 0,
    miscounted_charges: 0,
    audit_ok: true,
  })
})
