import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Collector, newCollector } from '../contract/collector.ts'
import { AMA, KOFI } from '../contract/refund-desk.ts'
import { inline, PATIENCE } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkBooks } from '../harness/oracle.ts'
import { waitFor } from '../harness/wait-for.ts'
import { openNeverReached } from './never-reached.ts'

// A payout never reaches its operator, and payouts are stopped before anybody may send it again.

let installation: Installation
let merchant: Collector
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']], own: 'reads whole tables' })
  merchant = await newCollector(installation)
  await merchant.deposit(5_000)
})
after(() => installation[Symbol.asyncDispose]())

test('a stopped payout is sent again only after the stop is lifted', async () => {
  const lost = openNeverReached(installation)
  const { id } = (await merchant.send({ amount: 1_000, beneficiary: inline('0000') })).json() as { id: string }
  await lost.dieBeforeSending()
  await installation.bandama('payouts', 'stop', '--all', '--as', AMA)
  await lost.whileWorking(async () => {
    const asked = async () => (await lost.historyOf(id)).answers.length >= 6
    await waitFor(asked, { ...PATIENCE, what: 'the operator to be asked often enough' })
    assert.deepEqual({ ...(await lost.historyOf(id)), answers: 0 }, { sends: 1, same: true, received: 0, answers: 0 })
    for (const person of [AMA, KOFI]) await installation.bandama('payouts', 'resume', '--all', '--as', person)
    await merchant.untilPayout(id, 'succeeded')
    assert.deepEqual({ ...(await lost.historyOf(id)), answers: 0 }, { sends: 2, same: true, received: 1, answers: 0 })
  })
})

test('the books hold', () => checkBooks(installation.db.sql))
