import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, newPayer, openInstallation, payment } from '../harness/installation.ts'
import { createKey } from '../harness/keys.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'

// A merchant that is opened at the desk has limits of its own in live mode, until two people of the company have checked it.

let installation: Installation
let awa: Member
let yves: Member
let support: Member
before(async () => {
  installation = await openInstallation({
    processes: [
      ['--only', 'api'],
      ['--only', 'worker'],
    ],
  })
  awa = await openMember(installation, 'Awa Bamba', { staff: ['compliance'] })
  yves = await openMember(installation, 'Yves Kacou', { staff: ['compliance'] })
  support = await openMember(installation, 'Sali', { staff: ['support'] })
})
after(() => installation[Symbol.asyncDispose]())

/** Opens a merchant at the desk. Returns its number. */
async function newMerchant(): Promise<number> {
  const { ask, done } = await awa.confirm(
    '/desk/live/merchants/new',
    { name: 'Maquis neuf' },
    '/desk/live/merchants/new',
  )
  assert.match(ask.text, /ses sommes sont limitées jusqu’à ce que deux personnes aient vérifié/)
  return Number(/\/merchants\/(\d+)\?done=created$/.exec(done.location!)![1])
}

const pageOf = (merchant_id: number) => `/desk/live/merchants/${merchant_id}`
const propose = (by: Member, merchant_id: number) => by.confirm(`${pageOf(merchant_id)}/check`, {}, pageOf(merchant_id))

/** Proposes that a merchant is checked. Returns the page of the proposal. */
async function proposed(by: Member, merchant_id: number): Promise<string> {
  const { location } = (await propose(by, merchant_id)).done
  const [, path] = /^(\/desk\/live\/proposals\/checks\/prp_\w+)\?done=proposed$/.exec(location ?? '') ?? []
  assert.ok(path !== undefined, String(location))
  return path
}

const isChecked = async (merchant_id: number) => {
  const [row] = await installation.db.sql`select is_checked from merchants where merchant_id = ${merchant_id}`
  return row!.is_checked as boolean
}

const linesAbout = (merchant_id: number) => installation.db.sql`
  select act, actor from audit_log
   where merchant_id = ${merchant_id} and act like 'merchant_check.%' order by at, id`

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')

test('a merchant of the desk is limited until a second person confirms its check', async () => {
  const merchant_id = await newMerchant()
  const owner = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  const { key } = await createKey(
    installation.db.sql,
    { merchant_id, livemode: true },
    { key_prefix: 'bdm', scope: 'collect' },
  )
  const pay = (amount: number) =>
    installation.ask(payment(key.reveal(), { amount, counterparty: { msisdn: newPayer() } }))
  assert.equal((await pay(200_001)).status, 422)
  assert.equal((await pay(50_000)).status, 201)

  assert.match(
    plain((await support.get(pageOf(merchant_id))).text),
    /Marchand à vérifier[\s\S]*200 000 F CFA encaissés[\s\S]*Paiement au plus<\/dt><dd[^>]*>200 000/,
  )
  assert.ok(!(await support.get(pageOf(merchant_id))).text.includes(`${pageOf(merchant_id)}/check`))
  const home = plain((await owner.get(`/console/live/${merchant_id}`)).text)
  assert.match(home, /Votre dossier est en cours de vérification[\s\S]*200 000 F CFA à envoyer/)

  const path = await proposed(awa, merchant_id)
  assert.equal(await isChecked(merchant_id), false)
  assert.match((await yves.get('/desk/live')).text, /Marchand à vérifier/)
  assert.match((await support.get(path)).text, /La conformité décide/)
  assert.ok((await yves.get(path)).text.includes(`href="${pageOf(merchant_id)}/file"`))
  // One person is never two.
  assert.match((await awa.get(path)).text, /Vous l’avez proposé/)
  assert.equal((await awa.confirm(`${path}/approve`, {}, path)).done.status, 409)
  const again = await yves.post(`${pageOf(merchant_id)}/check`, {}, pageOf(merchant_id))
  assert.match(again.text, /Une autre personne l’a déjà proposé/)
  assert.equal(await isChecked(merchant_id), false)

  const { ask, done } = await yves.confirm(`${path}/approve`, {}, path)
  assert.match(ask.text, /Des documents manquent/)
  assert.equal(done.location, `${pageOf(merchant_id)}?done=confirmed`)
  assert.equal(await isChecked(merchant_id), true)
  await waitFor(async () => (await pay(200_001)).status === 201, { what: 'the limit to end' })
  assert.doesNotMatch((await owner.get(`/console/live/${merchant_id}`)).text, /en cours de vérification/)
  assert.deepEqual(
    (await linesAbout(merchant_id)).map(({ act, actor }) => [act, actor]),
    [
      ['merchant_check.propose', awa.email],
      ['merchant_check.approve', yves.email],
    ],
  )
})

test('a person whom the first one let in within 90 days confirms nothing, whatever the door', async () => {
  const merchant_id = await newMerchant()
  const path = await proposed(awa, merchant_id)
  const let_in = await openMember(installation, 'Koffi', { staff: ['compliance'] })
  await installation.db.sql`
    insert into person_ties (person, maker, tied_at) values (${awa.email}, ${let_in.email}, clock_now())`
  assert.equal((await let_in.confirm(`${path}/approve`, {}, path)).done.status, 409)
  const id = path.split('/').at(-1)!
  await assert.rejects(
    installation.db.sql`
      update act_proposals set status = 'approved', decided_by = ${let_in.email}, decided_at = clock_now() where id = ${id}`,
  )
  await assert.rejects(
    installation.db.sql`
      update act_proposals set status = 'approved', decided_by = ${awa.email}, decided_at = clock_now() where id = ${id}`,
    /act_proposals_two_people/,
  )
  assert.equal(await isChecked(merchant_id), false)
})

test('a refused or withdrawn check leaves the limits, and can be proposed again', async () => {
  const merchant_id = await newMerchant()
  const refused = await proposed(awa, merchant_id)
  await yves.post(`${refused}/refuse`, {}, refused)
  const withdrawn = await proposed(awa, merchant_id)
  await awa.post(`${withdrawn}/withdraw`, {}, withdrawn)
  assert.equal(await isChecked(merchant_id), false)
  const path = await proposed(yves, merchant_id)
  await awa.confirm(`${path}/approve`, {}, path)
  assert.equal(await isChecked(merchant_id), true)
  assert.match((await awa.get(pageOf(merchant_id))).text, /Actif/)
})

test('a merchant of the command is checked from its beginning', async () => {
  const { merchant_id } = await installation.bandama('merchant', 'create', '--name', 'Boutique de commande')
  assert.equal(await isChecked(Number(merchant_id)), true)
})
