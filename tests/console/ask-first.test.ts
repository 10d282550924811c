import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newCollector } from '../contract/collector.ts'
import { newNumber, PATIENCE } from '../contract/sender.ts'
import { type Page, stepUpIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
import { batchIdIn, confirmed, csv, draftOf, makeBatch, newShop, read, type Shop, untilAsked } from './batch-shop.ts'

// A person who would pay again asks the operator first. The simulator refuses an order, and executes it all the same: its memory then
// has the end of a number that pays.

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'writes rows past the service' })
})
after(() => installation[Symbol.asyncDispose]())

/** The operator has executed the orders after all; or holds them no longer, or never answers again. */
async function nowSays(says: 'moved' | 'not_held' | 'silent', where: { msisdn?: string; id?: string }): Promise<void> {
  const { sql } = installation.db
  const { msisdn = '', id = '' } = where
  const orders = sql`
    select reference from instructions where (msisdn = ${`+225${msisdn}`} or subject_id = ${id}) and state = 'refused'`
  if (says === 'moved') await sql`update simulator_orders set msisdn_end = '1234' where reference in (${orders})`
  else if (says === 'not_held') await sql`delete from simulator_orders where reference in (${orders})`
  else await sql`update instructions set connector = 'removed' where reference in (${orders})`
}

const anomaliesOf = (kind: string, payout: string) => installation.db.sql`
  select a.id from anomalies a join instructions i using (merchant_id, livemode, subject_id)
   where a.kind = ${kind} and i.msisdn = ${`+225${payout}`}`

/** Sends a batch of these lines, and returns its page once it has ended with errors. */
async function sentBatch(shop: Shop, ...lines: string[]): Promise<string> {
  const id = batchIdIn(await makeBatch(shop, await draftOf(shop, csv(...lines))))
  const page = `${shop.base}/batches/${id}`
  const sent = await confirmed(shop.mariam, `${page}/execute`, {}, page)
  assert.equal(sent.status, 303, sent.text)
  await shop.sender.untilBatch(id, 'termine_avec_erreurs')
  return page
}

test('a new draft of failed lines leaves out those that moved, and those without an answer unless the person takes them', async () => {
  const shop = await newShop(installation)
  const { mariam, base } = shop
  const [again, moved, gone, silent] = ['0001', '0001', '0002', '0002'].map((end) => newNumber(end))
  const page = await sentBatch(
    shop,
    `Awa Koné;${again};;1000;A`,
    `Brou Kévin;${moved};;2000;B`,
    `Cissé Issa;${gone};;3000;C`,
    `Diallo Fanta;${silent};;4000;D`,
  )
  await nowSays('moved', { msisdn: moved! })
  await nowSays('not_held', { msisdn: gone! })
  await nowSays('silent', { msisdn: silent! })
  const first = await mariam.post(`${page}/failed`, { seen: '1' }, page)
  assert.equal(first.location, `${page}?asked=failed#asked`, 'nobody has seen an answer')
  const text = await untilAsked(mariam, page)
  for (const words of [
    /Awa Koné[\s\S]{0,80}L’opérateur le refuse encore/,
    /Brou Kévin[\s\S]{0,80}L’opérateur dit que l’argent est parti/,
    /Cissé Issa[\s\S]{0,80}L’opérateur ne l’a pas/,
    /Diallo Fanta[\s\S]{0,80}L’opérateur ne répond pas/,
    /Nouveau brouillon avec les 3 lignes échouées/,
  ])
    assert.match(text, words)
  assert.equal((await anomaliesOf('proof_after_refusal', moved!)).length, 1)
  const made = await mariam.post(`${page}/failed`, { seen: '1' }, page)
  const draft = await read(mariam.get(made.location!))
  assert.deepEqual(
    ['Awa Koné', 'Brou Kévin', 'Cissé Issa', 'Diallo Fanta'].filter((name) => draft.includes(name)),
    ['Awa Koné', 'Cissé Issa'],
  )
  const drop = await mariam.post(`${made.location}/delete`, { version: '1' }, made.location!)
  assert.equal(drop.status, 303)
  const all = await mariam.post(`${page}/failed`, { seen: '1', silent: '1' }, page)
  assert.match(await read(mariam.get(all.location!)), /Diallo Fanta/)
  const acts = await installation.db.sql`
    select from audit_log where act = 'doubt.ask' and merchant_id = ${shop.sender.tenant.merchant_id}`
  assert.ok(acts.length > 0, base)
})

/** Tries an act until the operators have answered. Returns the confirmation that a person sees. */
async function untilConfirmation(
  who: Member,
  path: string,
  fields: Record<string, string>,
  from: string,
): Promise<Page> {
  const first = await who.post(path, fields, from)
  assert.match(first.text, /On demande/)
  assert.equal(stepUpIn(first), '')
  return waitFor(
    async () => {
      const page = await who.post(path, fields, from)
      return stepUpIn(page) !== '' && page
    },
    { ...PATIENCE, what: `the confirmation of ${path}` },
  )
}

for (const [says, words] of [
  ['moved', /la personne serait payée deux fois[\s\S]*L’opérateur dit que l’argent est parti/],
  ['not_held', /Voici ce que dit l’opérateur maintenant[\s\S]*L’opérateur ne l’a pas/],
] as const) {
  test(`a batch with the same number and amount as a failed payout shows its operator’s word first: ${says}`, async () => {
    const shop = await newShop(installation)
    const msisdn = newNumber('0001')
    await sentBatch(shop, `Awa Koné;${msisdn};;5000;A`)
    await nowSays(says, { msisdn })
    const id = batchIdIn(
      await makeBatch(shop, await draftOf(shop, csv(`Awa Koné;${msisdn};;5000;A`, `Yao;${newNumber()};;100;`))),
    )
    const page = `${shop.base}/batches/${id}`
    const asked = await untilConfirmation(shop.mariam, `${page}/execute`, {}, page)
    assert.match(asked.text, words)
    const fields = { step_up_id: stepUpIn(asked), secret_code: await shop.mariam.code() }
    assert.equal((await shop.mariam.post(`${page}/execute`, fields, page)).status, 303, 'the person decides')
  })
}

test('another amount, another number, and a payout of a program are not asked about', async () => {
  const shop = await newShop(installation)
  const msisdn = newNumber('0001')
  await sentBatch(shop, `Awa Koné;${msisdn};;5000;A`)
  const lines = csv(`Awa Koné;${msisdn};;5001;A`, `Yao Kofi;${newNumber()};;5000;`)
  const id = batchIdIn(await makeBatch(shop, await draftOf(shop, lines)))
  const page = `${shop.base}/batches/${id}`
  assert.notEqual(stepUpIn(await shop.mariam.post(`${page}/execute`, {}, page)), '')
  const beneficiary = { msisdn, operator: 'orange_ci', name: 'Awa Koné' }
  assert.equal((await shop.sender.send({ amount: 5_000, beneficiary })).status, 201)
})

test('the approval of a payout to the same number and amount shows the operator’s word first', async () => {
  const shop = await newShop(installation)
  const beneficiary = { msisdn: newNumber('0001'), operator: 'orange_ci', name: 'Awa Koné' }
  const request = async () => ((await shop.sender.send({ amount: 150_000, beneficiary })).json() as { id: string }).id
  const first = await request()
  const page = (id: string) => `${shop.base}/approvals/${id}`
  assert.equal((await confirmed(shop.aya, `${page(first)}/approve`, {}, page(first))).status, 303)
  const payout = ((await shop.sender.read(first)).json() as { payout_id: string }).payout_id
  await shop.sender.untilPayout(payout, 'failed')
  await nowSays('moved', { id: payout })
  const second = await request()
  const asked = await untilConfirmation(shop.aya, `${page(second)}/approve`, {}, page(second))
  assert.match(asked.text, /la personne serait payée deux fois/)
  assert.notEqual(
    stepUpIn(await shop.aya.post(`${page(second)}/reject`, {}, page(second))),
    '',
    'a refusal asks nobody',
  )
})

test('a refund after a failed one shows the operator’s word first', async () => {
  const collector = await newCollector(installation)
  const ama = await openMember(installation, 'Ama Koné', { staff: ['operations'] })
  // Paid at once, so that the end of the number speaks of the refund alone.
  const { id: payment } = await collector.collect(10_000, { to: '0707770001', simulate: true })
  const page = `/desk/${mode}/payments/${payment}/refund`
  const form = async () => {
    const { text } = await ama.get(page)
    const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
    return { form: hidden('form'), given: hidden('given'), reason: '', amount: '4 000' }
  }
  const { sql } = installation.db
  const first = await ama.confirm(page, await form(), page)
  const id = /rfd_[0-9a-z]+/.exec(first.done.location!)![0]
  const ended = async () => (await sql`select from refunds where id = ${id} and status = 'failed'`).length === 1
  await waitFor(ended, { ...PATIENCE, what: 'the refund to fail' })
  await nowSays('moved', { id })
  const asked = await untilConfirmation(ama, page, await form(), page)
  assert.match(asked.text, /Un remboursement de ce paiement a échoué[\s\S]*L’opérateur dit que l’argent est parti/)
})
