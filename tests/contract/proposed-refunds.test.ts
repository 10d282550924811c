import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { createRefund } from '../../src/refunds/create-refund.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { perform } from '../harness/perform.ts'
import { type Member, openMember, seated } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
import { type Collector, newCollector } from './collector.ts'
import { PATIENCE } from './sender.ts'

// A refund by a signed-in person above the sum of one: in live mode a second person decides, in test mode one is enough.

let installation: Installation
let collector: Collector
let kofi: Member
before(async () => {
  installation = await openInstallation()
  collector = await newCollector(installation)
  kofi = await openMember(installation, 'Kofi', { staff: ['operations'] })
})
after(() => installation[Symbol.asyncDispose]())

const pageOf = (payment_id: string) => `/desk/${mode}/payments/${payment_id}/refund`

/** Asks for a refund on the desk. */
async function refund(by: Member, payment_id: string, amount: string) {
  const page = await by.get(pageOf(payment_id))
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? ''
  const fields = { form: hidden('form'), given: hidden('given'), reason: 'Un geste', amount }
  return { fields, ...(await by.confirm(pageOf(payment_id), fields, pageOf(payment_id))) }
}

const refundsOf = (payment_id: string) =>
  installation.db.sql<{ id: string; requested_by: string; status: string }[]>`
    select id, requested_by, status from refunds where payment_id = ${payment_id}`

test('a refund above the sum of one person is made once another person has confirmed it, and in test mode at once', async () => {
  const ama = await openMember(installation, 'Ama', { staff: ['operations'] })
  const { id } = await collector.collect(150_000)
  const before = await collector.balances()
  const { fields, ask, done } = await refund(ama, id, '150000')
  if (!livemode) {
    assert.match(done.location!, /\/refunds\/rfd_\w+\?done=refund_asked/)
    return
  }
  assert.match(ask.text, /150/)
  const [, path] = /^(.*\/proposals\/refunds\/prp_\w+)\?done=proposed$/.exec(done.location ?? '') ?? []
  assert.ok(path !== undefined, done.location ?? done.text)
  assert.deepEqual(await refundsOf(id), [])
  assert.deepEqual(await collector.balances(), before, 'nothing is booked')
  // The form again is the same proposal.
  const again = await ama.confirm(pageOf(id), fields, pageOf(id))
  assert.equal(again.done.location, `${path}?done=proposed`)
  assert.equal((await ama.confirm(`${path}/approve`, {}, path)).done.status, 409)
  const { ask: question, done: confirmed } = await kofi.confirm(`${path}/approve`, {}, path)
  assert.match(question.text, /Le payeur reçoit/)
  assert.match(confirmed.location!, /\/refunds\/rfd_\w+\?done=confirmed/)
  const [made, ...more] = await refundsOf(id)
  assert.deepEqual([more.length, made!.requested_by], [0, ama.email])
  await waitFor(async () => (await refundsOf(id))[0]!.status === 'succeeded', {
    ...PATIENCE,
    what: 'the operator to refund',
  })
})

test('small refunds of one day count together with deposits, and a refused one returns nothing', {
  skip: !livemode,
}, async () => {
  const ama = await openMember(installation, 'Ama', { staff: ['operations', 'finance'] })
  const [one, other] = [await collector.collect(60_000), await collector.collect(60_000)]
  const desk = `/desk/${mode}/merchants/${collector.tenant.merchant_id}`
  const booked = await ama.confirm(`${desk}/deposit`, { deposited: '30000', reference: 'VIR-R' }, `${desk}/money`)
  assert.match(booked.done.location!, /done=deposited/)
  assert.match((await refund(ama, one.id, '60000')).done.location!, /done=refund_asked/)
  const { done } = await refund(ama, other.id, '60000')
  const [, path] = /^(.*\/proposals\/refunds\/prp_\w+)\?done=proposed$/.exec(done.location ?? '') ?? []
  assert.ok(path !== undefined, done.location ?? done.text)
  assert.equal((await kofi.post(`${path}/refuse`, {}, path)).location, `${path}?done=declined`)
  assert.deepEqual(await refundsOf(other.id), [])
  assert.equal((await kofi.confirm(`${path}/approve`, {}, path)).done.status, 409)
})

test('a refund that is no longer possible when the second person comes waits, and says why', {
  skip: !livemode,
}, async () => {
  const ama = await openMember(installation, 'Ama', { staff: ['operations'] })
  const { id } = await collector.collect(150_000)
  const { done } = await refund(ama, id, '150000')
  const path = done.location!.split('?')[0]!
  const { refund_id } = await installation.bandama(
    'refund',
    'create',
    '--payment',
    id,
    '--manual',
    '--as',
    'x@example.com',
  )
  assert.match(String(refund_id), /^rfd_/)
  const late = await kofi.confirm(`${path}/approve`, {}, path)
  assert.equal(late.done.status, 409)
  assert.match(late.done.text, /déjà rendu/)
  const [row] = await installation.db.sql<{ status: string }[]>`
    select status from act_proposals where id = ${path.split('/').at(-1)!}`
  assert.equal(row!.status, 'proposed')
})

test('a proposed refund of the rest is made for the sum that was proposed, or not at all', {
  skip: !livemode,
}, async () => {
  const ama = await openMember(installation, 'Ama', { staff: ['operations'] })
  const { id } = await collector.collect(150_000)
  const deps = { sql: installation.db.sql, clock: createClock(), canRefund: () => true, secondPersonAbove: 100_000 }
  const values = {
    form: null,
    amount: null,
    given: null,
    reason: null,
    by_hand: false,
    key: null,
    mode: null,
    request: null,
  }
  const asked = await perform(createRefund, deps, { id, values }, seated(ama.email))
  assert.ok(asked.kind === 'done' && 'proposal_id' in asked.result, JSON.stringify(asked))
  const path = `/desk/${mode}/proposals/refunds/${asked.result.proposal_id}`
  const part = ['--payment', id, '--amount', '60000', '--manual', '--as', 'x@example.com']
  await installation.bandama('refund', 'create', ...part)
  const late = await kofi.confirm(`${path}/approve`, {}, path)
  assert.equal(late.done.status, 409)
  assert.match(late.done.text.replaceAll('\u202f', ' '), /Il reste maintenant 90 000/)
  assert.equal((await refundsOf(id)).length, 1)
  assert.equal((await kofi.post(`${path}/refuse`, {}, path)).location, `${path}?done=declined`)
})
