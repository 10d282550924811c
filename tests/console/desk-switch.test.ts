import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { actor } from '../harness/actor.ts'
import { proposeAdjustment } from '../harness/adjustments.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// The kill switch, and the decisions of a second person: adjustments and refunds by hand.

let installation: Installation
let settler: Settler
let ama: Member
let kofi: Member
let support: Member
const at = `/desk/${mode}/switch`

before(async () => {
  installation = await openInstallation({ own: 'stops payouts' })
  settler = await newSettler(installation)
  ama = await openMember(installation, 'Ama Koné', { staff: ['finance'] })
  kofi = await openMember(installation, 'Kofi Yao', { staff: ['operations', 'finance'] })
  support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
})
after(() => installation[Symbol.asyncDispose]())

type Stop = { scope: string; value: string; lifted_at: string | null; resume_asked_by: string | null }
const stops = async () =>
  ((await ama.facts(at)).body as { stops: Stop[] }).stops.filter(({ lifted_at }) => lifted_at === null)

test('one person stops at once, and two people with fresh factors resume', async () => {
  const stopped = await support.post(`${at}/stop`, { what: 'moov_ci' }, at)
  assert.equal(stopped.location, `${at}?done=stopped`)
  await support.post(`${at}/stop`, { what: 'moov_ci' }, at)
  assert.deepEqual(
    (await stops()).map(({ scope, value }) => [scope, value]),
    [['operator', 'moov_ci']],
  )
  assert.match((await support.get(at)).text, /Arrêté par Issa Cissé/)
  assert.equal((await support.post(`${at}/resume`, { what: 'moov_ci' }, at)).status, 403)

  const fields = { what: 'moov_ci', merchant: '' }
  const { ask, done } = await ama.confirm(`${at}/resume`, fields, at)
  assert.match(ask.text, /première personne/)
  assert.equal(done.location, `${at}?done=asked`)
  assert.match((await ama.get(at)).text, /une autre personne confirme/)
  // The same person twice is still one person.
  const { done: same } = await ama.confirm(`${at}/resume`, fields, at)
  assert.equal(same.location, `${at}?done=asked`)
  assert.equal((await stops()).length, 1)
  const { done: second } = await kofi.confirm(`${at}/resume`, fields, at)
  assert.equal(second.location, `${at}?done=resumed`)
  assert.deepEqual(await stops(), [])
  assert.match((await ama.get(at)).text, /rouvert par Ama Koné et Kofi Yao/)
})

test('the page does not claim to stop an unknown merchant, and keeps the typed number', async () => {
  const refused = await support.post(`${at}/stop`, { what: 'merchant', merchant: '999999' }, at)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /rien n’est arrêté/)
  assert.match(refused.text, /value="999999"/)
  assert.equal((await support.post(`${at}/stop`, { what: 'nonsense' }, at)).status, 422)
  assert.deepEqual(await stops(), [])
})

test('a person who resumes a merchant reads its name', async () => {
  const { merchant_id } = settler.tenant
  const fields = { what: 'merchant', merchant: String(merchant_id) }
  await support.post(`${at}/stop`, fields, at)
  const { ask } = await ama.confirm(`${at}/resume`, fields, at)
  assert.match(ask.text, /Marchand Boutique, envois/)
  await kofi.confirm(`${at}/resume`, fields, at)
  assert.deepEqual(await stops(), [])
})

test('another person than the proposer books an adjustment', async () => {
  const { sql } = installation.db
  const { available } = await settler.balances()
  const wish = { direction: 'credit', amount: 700, counterpart: 'fees', reason: 'Frais pris deux fois' } as const
  const proposed = await proposeAdjustment(
    { sql, clock: createClock() },
    { ...settler.tenant, ...wish, proposed_by: actor(ama.email) },
  )
  assert.ok(proposed.kind === 'proposed')
  const path = `/desk/${mode}/adjustments/${proposed.adjustment.id}`
  assert.equal((await ama.get(`/desk/${otherMode}/adjustments/${proposed.adjustment.id}`)).status, 404)
  assert.match((await ama.get(path)).text, /une autre personne décide/)
  const { done: same } = await ama.confirm(`${path}/approve`, {}, path)
  assert.equal(same.status, 409)
  assert.equal((await support.post(`${path}/approve`, {}, path)).status, 403)
  const { ask, done } = await kofi.confirm(`${path}/approve`, {}, path)
  assert.match(ask.text, /Frais pris deux fois/)
  assert.equal(done.location, `${path}?done=confirmed`)
  assert.equal((await settler.balances()).available, available + 700)
  assert.equal((await kofi.post(`${path}/approve`, {}, path)).status, 409)
})

test('another person than the maker closes a refund by hand, with a proof that is accepted once', async () => {
  const { sql } = installation.db
  const [payment] = await sql<{ id: string }[]>`
    select id from payments where merchant_id = ${settler.tenant.merchant_id} and livemode = ${settler.tenant.livemode} and status = 'succeeded' limit 1`
  const words = ['--payment', payment!.id, '--manual', '--as', ama.email]
  const first = await installation.bandama('refund', 'create', ...words, '--amount', '500')
  const path = `/desk/${mode}/refunds/${first.id ?? first.refund_id}`
  const listed = (await kofi.facts(`/desk/${mode}/refunds`)).body.refunds as object[]
  assert.equal(listed.length, 1)
  assert.match((await ama.get(path)).text, /une autre personne le finit/)
  assert.equal((await kofi.post(`${path}/paid`, { reference: '' }, path)).status, 409)
  const { done: same } = await ama.confirm(`${path}/paid`, { reference: 'OM-77' }, `/desk/${mode}/switch`)
  assert.equal(same.status, 409)
  const { ask, done } = await kofi.confirm(`${path}/paid`, { reference: 'OM-77' }, path)
  assert.match(ask.text, /OM-77/)
  assert.match(ask.text, /Boutique/)
  assert.equal(done.location, `${path}?done=paid_back`)
  assert.equal(((await kofi.facts(path)).body.refund as { status: string }).status, 'succeeded')
  const { available } = await settler.balances()
  const second = await installation.bandama('refund', 'create', ...words, '--amount', '600')
  const other = `/desk/${mode}/refunds/${second.id ?? second.refund_id}`
  const { done: used } = await kofi.confirm(`${other}/paid`, { reference: 'om-77' }, other)
  assert.equal(used.status, 409)
  const { done: given } = await kofi.confirm(`${other}/given-up`, { reason: 'Numéro fermé' }, other)
  assert.equal(given.location, `${other}?done=given_up`)
  assert.equal((await settler.balances()).available, available)
})
