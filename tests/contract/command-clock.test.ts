import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setFees } from '../harness/fees.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkPayout, checkRequest } from './payout-answers.ts'
import { newSender, payout } from './sender.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())

test('a command approves a payout with the fee of the database’s time, whatever the clock of its machine says', async () => {
  const { sql, moveClock } = installation.db
  const sender = await newSender(installation)
  const request = checkRequest(await sender.send(payout(150_000)), 202)
  const [row] = await sql<{ tomorrow: Date }[]>`select clock_now() + interval '1 day' as tomorrow`
  const { merchant_id } = sender.tenant
  const terms = {
    service: 'payout',
    basis_points: 0,
    fixed: 50,
    minimum: 0,
    maximum: null,
    bearer: 'merchant',
  } as const
  assert.equal((await setFees(sql, { ...terms, merchant_id, effective_from: row!.tomorrow })).kind, 'set')
  await moveClock('2 days')
  const { payout_id } = await installation.bandama('request', 'approve', '--id', request.id, '--as', 'aya@example.com')
  assert.equal(checkPayout(await sender.read(String(payout_id)), 200).fee_amount, 50)
})
