import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { IBAN } from '../contract/book.ts'
import { newNumber } from '../contract/sender.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { type Page, stepUpIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

type Shop = { settler: Settler; base: string; aya: Member; fatou: Member }

const newPerson = ({ tenant: { merchant_id } }: Settler, role: string, name: string) =>
  openMember(installation, name, { merchant_id, roles: [role] })

/** A shop with an owner and an approver. */
async function newShop(): Promise<Shop> {
  const settler = await newSettler(installation, { available: 20_000 })
  const { merchant_id, livemode } = settler.tenant
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  const [aya, fatou] = [
    await newPerson(settler, 'owner', 'Aya Kouassi'),
    await newPerson(settler, 'approver', 'Fatou Bamba'),
  ]
  return { settler, base, aya, fatou }
}

/** Sends a form and answers the question for a fresh factor. */
async function send({ base }: Shop, who: Member, path: string, fields: Record<string, string>): Promise<Page> {
  const question = await who.post(`${base}${path}`, fields, `${base}/account`)
  const step_up_id = stepUpIn(question)
  if (step_up_id === '') return question
  return who.post(`${base}${path}`, { ...fields, step_up_id, secret_code: await who.code() }, `${base}/account`)
}

const wallet = (msisdn = newNumber()) => ({ to: 'wallet', iban: '', msisdn, operator: 'wave_ci', holder: 'Caisse' })

/** Proposes as Aya. Returns the id of the proposal. */
async function propose(shop: Shop, fields = wallet(), who = shop.aya): Promise<string> {
  const { location, text } = await send(shop, who, '/destination', fields)
  assert.equal(location, `${shop.base}/destination?done=proposed`, text)
  const { waiting } = (await who.facts(`${shop.base}/destination`)).body as { waiting: { id: string } }
  return waiting.id
}

const designatedOf = async ({ settler: { tenant } }: Shop) => {
  const [row] = await installation.db.sql<{ msisdn: string | null }[]>`
    select msisdn from beneficiaries
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and designated_at is not null`
  return row?.msisdn ?? null
}

test('one person proposes, another sees the whole account and confirms, and settlements wait for the end of the cooling-off', async () => {
  const shop = await newShop()
  const { base, aya, fatou, settler } = shop
  const msisdn = newNumber()
  const id = await propose(shop, wallet(msisdn))
  const mine = await aya.get(`${base}/destination`)
  assert.match(mine.text, /Vous l’avez proposée/)
  assert.ok(!mine.text.includes(`${base}/destination/${id}/confirm`))
  assert.equal(await designatedOf(shop), null, 'the former one is a bank account and serves')
  assert.equal((await settler.request(5_000)).status, 202)

  const theirs = await fatou.get(`${base}/destination`)
  const whole = msisdn.replace(/^\+?225/, '').replace(/\d\d\B/g, '$& ')
  assert.ok(theirs.text.includes(whole), theirs.text)
  assert.ok(!JSON.stringify((await fatou.facts(`${base}/destination`)).body).includes(msisdn.slice(-9)))
  const question = await fatou.post(`${base}/destination/${id}/confirm`, {}, `${base}/destination`)
  assert.ok(question.text.replaceAll('\u00a0', ' ').includes(whole), 'the whole account is agreed to')
  assert.match(question.text, /Aya Kouassi/)
  assert.equal(
    (await send(shop, fatou, `/destination/${id}/confirm`, {})).location,
    `${base}/destination?done=confirmed`,
  )

  assert.ok((await designatedOf(shop))!.endsWith(msisdn.slice(-9)))
  const refused = await settler.request(5_000)
  assert.equal(
    (refused.json() as { error: { code: string } }).error.code,
    'destination_non_designee',
    'the former serves no more',
  )
  const page = await aya.get(`${base}/destination`)
  assert.match(page.text, /Encore (?:23 h|1 j)/)
  assert.match(page.text, /Proposée par vous, confirmée par Fatou Bamba/)
  const again = await send(shop, fatou, `/destination/${id}/confirm`, {})
  assert.equal(again.location, `${base}/destination?done=confirmed`, 'a second tap is the same decision')
  const acts = await installation.db.sql<{ act: string; actor: string; proven: boolean }[]>`
    select act, actor, step_up_id is not null as proven from audit_log
     where merchant_id = ${settler.tenant.merchant_id} and act in ('destination.propose', 'destination.designate') order by at`
  assert.deepEqual(
    acts.map(({ act, actor, proven }) => [act, actor, proven]),
    [
      ['destination.propose', aya.email, true],
      ['destination.designate', fatou.email, true],
    ],
  )
})

test('an unreadable bank account is refused at its field, and the typed text stays', async () => {
  const shop = await newShop()
  const typed = { to: 'iban', iban: 'CI00 1234', msisdn: '', operator: '', holder: 'P' }
  const { status, text } = await send(shop, shop.aya, '/destination', typed)
  assert.equal(status, 422)
  for (const words of [/Cet IBAN ne se lit pas/, /2 à 200 lettres/, /value="CI00 1234"/]) assert.match(text, words)
  const mobile = await send(shop, shop.aya, '/destination', { ...wallet('12'), operator: '' })
  assert.match(mobile.text, /dix chiffres[\s\S]*Choisissez l’opérateur/)
  const same = await send(shop, shop.aya, '/destination', { ...typed, iban: IBAN, holder: 'Pagnes Aya' })
  assert.equal(same.status, 409)
  assert.match(same.text, /vont déjà là/)
})

test('a proposal is refused with a reason, or withdrawn by its proposer, and nothing changes', async () => {
  const shop = await newShop()
  const { base, aya, fatou } = shop
  const first = await propose(shop)
  const without = await fatou.post(`${base}/destination/${first}/refuse`, { reason: ' ' }, `${base}/destination`)
  assert.equal(without.status, 422)
  assert.match(without.text, /Dites pourquoi/)
  const reason = 'Ce compte n’est pas le nôtre'
  const refuse = () => fatou.post(`${base}/destination/${first}/refuse`, { reason }, `${base}/destination`)
  assert.equal((await refuse()).location, `${base}/destination?done=declined`)
  assert.equal((await refuse()).location, `${base}/destination?done=declined`)
  assert.ok((await aya.get(`${base}/destination`)).text.includes(reason))
  const late = await send(shop, fatou, `/destination/${first}/confirm`, {})
  assert.equal(late.status, 409)
  assert.match(late.text, /déjà décidée/)
  const again = wallet()
  const second = await propose(shop, again)
  // The same proposal again, with a withdrawal that it would not make.
  const withdrawing = await aya.post(`${base}/destination`, { ...again, withdraw: '5 000' }, `${base}/destination`)
  assert.equal(withdrawing.status, 409)
  assert.match(withdrawing.text, /Une autre proposition attend/)
  assert.equal((await fatou.post(`${base}/destination/${second}/withdraw`, {}, `${base}/account`)).status, 403)
  const withdrawn = await aya.post(`${base}/destination/${second}/withdraw`, {}, `${base}/destination`)
  assert.equal(withdrawn.location, `${base}/destination?done=removed`)
  assert.equal(await designatedOf(shop), null)
})

test('the proposer cannot confirm, and only an owner can confirm an accountant’s proposal, not an approver', async () => {
  const shop = await newShop()
  const { base, aya, fatou, settler } = shop
  const awa = await newPerson(settler, 'accountant', 'Awa Diallo')
  const id = await propose(shop, wallet(), awa)
  assert.match((await fatou.get(`${base}/destination`)).text, /L’une des deux personnes doit être propriétaire/)
  const refused = await send(shop, fatou, `/destination/${id}/confirm`, {})
  assert.equal(refused.status, 409)
  assert.match(refused.text, /doit être propriétaire/)
  assert.equal((await send(shop, aya, `/destination/${id}/confirm`, {})).location, `${base}/destination?done=confirmed`)
  const own = await newShop()
  const mine = await propose(own)
  const self = await send(own, own.aya, `/destination/${mine}/confirm`, {})
  assert.equal(self.status, 409)
  assert.match(self.text, /une autre personne décide/)
})

test('a person who let in the proposer within 90 days neither confirms nor withdraws, and the page says why', async () => {
  const shop = await newShop()
  const { base, aya, settler } = shop
  const second = await newPerson(settler, 'owner', 'Awa Diallo')
  const id = await propose(shop)
  await installation.db.sql`
    insert into person_ties (person, maker) values (person_in(${aya.email}), person_in(${second.email}))`
  const { text } = await second.get(`${base}/destination`)
  assert.match(text, /Vous avez fait entrer qui la propose/)
  assert.doesNotMatch(text, new RegExp(`/destination/${id}/(?:confirm|withdraw)`))
  const refused = await send(shop, second, `/destination/${id}/confirm`, {})
  assert.equal(refused.status, 409)
  assert.match(refused.text, /vous avez fait entrer qui l’a proposée/)
})

test('if the account changes between the question and the answer, the page asks again', async () => {
  const shop = await newShop()
  const { base, fatou, settler } = shop
  const id = await propose(shop)
  const question = await fatou.post(`${base}/destination/${id}/confirm`, {}, `${base}/destination`)
  await settler.designate(await settler.newWallet(newNumber()))
  const fields = { step_up_id: stepUpIn(question), secret_code: await fatou.code() }
  const answer = await fatou.post(`${base}/destination/${id}/confirm`, fields, `${base}/account`)
  assert.equal(answer.status, 422, 'it would take the place of another one now')
  const { waiting } = (await fatou.facts(`${base}/destination`)).body as { waiting: { id: string } }
  assert.equal(waiting.id, id)
})

test('one person stops a change during its cooling-off, and settlements are refused until two people designate again', async () => {
  const shop = await newShop()
  const { base, aya, fatou, settler } = shop
  await send(shop, fatou, `/destination/${await propose(shop)}/confirm`, {})
  const { text } = await fatou.get(`${base}/destination`)
  const destination = /name="destination" value="([^"]+)"/.exec(text)![1]!
  const stopped = await send(shop, fatou, '/destination/stop', { destination })
  assert.equal(stopped.location, `${base}/destination?done=stopped`, stopped.text)
  assert.equal(await designatedOf(shop), null)
  assert.equal((await settler.request(5_000)).status, 422)
  const again = await send(shop, fatou, '/destination/stop', { destination })
  assert.equal(again.location, `${base}/destination?done=stopped`, 'a second tap is the same decision')
  const page = await aya.get(`${base}/destination`)
  assert.match(page.text, /Aucune destination/)
  assert.match(page.text, /Arrêté<\/span><span class="sub">par Fatou Bamba/)
  const back = { to: settler.destination, iban: '', msisdn: '', operator: '', holder: '' }
  await send(shop, fatou, `/destination/${await propose(shop, back)}/confirm`, {})
  assert.match((await aya.get(`${base}/destination`)).text, /Encore (?:23 h|1 j)/)
})

test('a destination cannot be stopped after its cooling-off', async () => {
  const { base, aya, settler } = await newShop()
  assert.ok(!(await aya.get(`${base}/destination`)).text.includes('/destination/stop'))
  const fields = { destination: settler.destination }
  const refused = await aya.post(`${base}/destination/stop`, fields, `${base}/account`)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /Rien n’est arrêté/)
})

test('the command on the host designates at once and is among the past changes', async () => {
  const shop = await newShop()
  await shop.settler.designate(await shop.settler.newWallet(newNumber()))
  const { text } = await shop.aya.get(`${shop.base}/destination`)
  assert.match(text, /Par une commande de l’équipe du service/)
})

test('an accountant who is alone reads that a second person is needed, and cannot propose', async () => {
  const settler = await newSettler(installation, { available: 0 })
  const aya = await newPerson(settler, 'accountant', 'Aya Kouassi')
  const { merchant_id, livemode } = settler.tenant
  const shop = { settler, base: `/console/${livemode ? 'live' : 'test'}/${merchant_id}`, aya, fatou: aya }
  assert.match((await aya.get(`${shop.base}/destination`)).text, /Il faut une deuxième personne/)
  const { status, text } = await send(shop, aya, '/destination', wallet())
  assert.equal(status, 409)
  assert.match(text, /Il faut une deuxième personne/)
})

test('a viewer sees the destination and cannot change it; another merchant and the other mode have their own', async () => {
  const shop = await newShop()
  const { base, fatou, settler } = shop
  const id = await propose(shop)
  const viewer = await newPerson(settler, 'viewer', 'Jean Ehui')
  const page = await viewer.get(`${base}/destination`)
  assert.equal(page.status, 200)
  assert.match(page.text, /Un propriétaire ou un approbateur confirme/)
  for (const path of ['', `/${id}/confirm`, `/${id}/refuse`, `/${id}/withdraw`])
    assert.equal((await viewer.post(`${base}/destination${path}`, {}, `${base}/account`)).status, 403, path)
  const elsewhere = `/console/${otherMode}/${settler.tenant.merchant_id}`
  const other = await newShop()
  const fields = { reason: 'Ce n’est pas notre compte' }
  for (const act of ['confirm', 'refuse']) {
    const answer = await fatou.post(`${elsewhere}/destination/${id}/${act}`, fields, `${base}/account`)
    assert.equal(answer.status, 404, act)
    const theirs = await other.fatou.post(`${other.base}/destination/${id}/${act}`, fields, `${other.base}/account`)
    assert.equal(theirs.status, 404, act)
  }
})

test('only the first page of people who may confirm says that a destination waits', async () => {
  const shop = await newShop()
  const { base, aya, fatou } = shop
  await propose(shop)
  assert.match((await fatou.get(base)).text, /Une destination à confirmer/)
  assert.doesNotMatch((await aya.get(base)).text, /Une destination à confirmer/)
})
