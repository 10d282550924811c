import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { freePort } from '../harness/free-port.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { testChain } from './audits/chain.ts'
import { charges, openCharged } from './audits/charges.ts'
import { testHarms, wrongIn } from './audits/harm.ts'
import { held } from './audits/held.ts'
import { liveListings, testListings } from './audits/listings.ts'
import { livePayments, payments } from './audits/payments.ts'
import { livePayouts, payouts } from './audits/payouts.ts'
import { liveRefunds, refunds } from './audits/refunds.ts'
import { leaveDoubts, sends } from './audits/sends.ts'
import { liveSettlements, settlements } from './audits/settlements.ts'
import { liveStatements, statements } from './audits/statements.ts'

// Every other test trusts the audit. So these tests break each of its checks once, with the triggers off and without our code, and the audit
// must find it. One installation makes the rows of all of them, with merchants of their own, and is stopped then.

let installation: Installation
const closing: AsyncDisposable[] = []
const db = () => installation.db

before(async () => {
  const port = String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  installation = await openInstallation({ env: { PORT: port, PUBLIC_URL: origin }, processes: [] })
  closing.push(installation)
  const charged = await openCharged(installation, origin)
  closing.push(charged)
  const api = await installation.start({ args: ['--only', 'api'] })
  const worker = await installation.start({ args: ['--only', 'worker'] })
  installation.services.push(api, worker)
  const lives = [charged.live, livePayouts, liveRefunds, liveSettlements, liveStatements, liveListings]
  await Promise.all(lives.map((live) => live(installation)))
  const payUnsent = await livePayments(installation)
  await worker.stop()
  await payUnsent()
  // With the service stopped, only these tests change the rows below.
  await api.stop()
  await leaveDoubts(db().sql)
})

after(async () => {
  for (const one of closing) await one[Symbol.asyncDispose]()
})

test('the audit passes undamaged books', async () => {
  assert.deepEqual(await wrongIn(db().sql), [])
})

for (const [name, harmed] of Object.entries({
  payments,
  payouts,
  refunds,
  settlements,
  statements,
  charges,
  held,
  sends,
})) {
  describe(name, () => testHarms(() => db().sql, harmed))
}
describe('chain of the audit log', () => testChain(db))
// The last, because it moves the clock.
describe('lists and figures', () => testListings(db))
