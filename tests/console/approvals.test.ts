import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inline, newNumber, newSender, payout, type Sender } from '../contract/sender.ts'
import { type Browser, openBrowser, type Page, stepUpIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

/** The caps of the service, for merchants without their own. */
const OPERATION = 100_000
const DAY = 500_000

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** A shop with money to send, and its people. */
type Shop = { sender: Sender; base: string; aya: Member; fatou: Member; viewer: Browser }

async function newShop(options: Parameters<typeof newSender>[1] = {}): Promise<Shop> {
  const sender = await newSender(installation, options)
  const { merchant_id, livemode } = sender.tenant
  const { sql } = installation.db
  const { address } = installation.services[0]!
  const approver = (name: string) => openMember(installation, name, { merchant_id, roles: ['approver'] })
  const [aya, fatou, viewer] = await Promise.all([
    approver('Aya Kouassi'),
    approver('Fatou Bamba'),
    openBrowser(sql, address, { merchant_id, roles: ['viewer'], name: 'Jean Ehui' }),
  ])
  return { sender, base: `/console/${livemode ? 'live' : 'test'}/${merchant_id}`, aya, fatou, viewer }
}

/** Requests a payout above the cap of one operation. */
async function ask({ sender }: Shop, amount = 250_000, beneficiary: object = inline()): Promise<string> {
  const answer = await sender.send({ amount, beneficiary, reference: 'Facture 318' })
  assert.equal(answer.status, 202, answer.text)
  return (answer.json() as { id: string }).id
}

/** Makes a batch above the cap of 24 hours. */
async function askBatch({ sender }: Shop, lines: object[] = [payout(DAY), payout(1_000)]): Promise<string> {
  const answer = await sender.prepare({ lines, reference: 'Salaires' })
  assert.equal(answer.status, 201, answer.text)
  const { id, status } = answer.json() as { id: string; status: string }
  assert.equal(status, 'en_attente_validation')
  return id
}

type Act = 'approve' | 'reject'

/** Opens the step-up of a decision. */
async function begin({ base }: Shop, who: Browser, act: Act, id: string): Promise<string> {
  const page = await who.post(`${base}/approvals/${id}/${act}`, {}, `${base}/approvals/${id}`)
  assert.equal(page.status, 200, page.text)
  return stepUpOf(page)
}

function stepUpOf(page: Page): string {
  const step_up_id = stepUpIn(page)
  assert.notEqual(step_up_id, '', page.text)
  return step_up_id
}

/** Answers the step-up with the code of the telephone. */
async function finish({ base }: Shop, who: Member, act: Act, id: string, step_up_id: string): Promise<Page> {
  return who.post(`${base}/approvals/${id}/${act}`, { step_up_id, secret_code: await who.code() }, `${base}/approvals`)
}

async function decide(shop: Shop, who: Member, act: Act, id: string): Promise<Page> {
  return finish(shop, who, act, id, await begin(shop, who, act, id))
}

const statusOf = async ({ sender }: Shop, id: string) =>
  ((await sender.read(id)).json() as { status: string; payout_id?: string }).status

test('an approver’s list has a waiting request with its amount and its unusual facts', async () => {
  const shop = await newShop()
  const [request, batch] = [await ask(shop), await askBatch(shop)]
  const { body } = await shop.aya.facts(`${shop.base}/approvals`)
  const ids = (body.approvals as { id: string }[]).map(({ id }) => id)
  assert.deepEqual(ids, [request, batch])
  const { count, amount } = body.waiting as { count: number; amount: number }
  assert.deepEqual([count, amount], [2, 250_000 + DAY + 1_000])
  const { text } = await shop.aya.get(`${shop.base}/approvals`)
  assert.match(text, /Nouveau numéro/)
  assert.match(text, /<span class="count">2<\/span>/)
})

test('the page of a request begins with amount, recipient, maker, reason and expiry, and has both decisions', async () => {
  const shop = await newShop()
  const beneficiary = inline()
  const id = await ask(shop, 250_000, beneficiary)
  const { text } = await shop.aya.get(`${shop.base}/approvals/${id}`)
  const order = [
    '250\u202f000',
    beneficiary.name,
    'Demandé par',
    shop.sender.key_id,
    'plus de',
    'Expire',
    'Premier envoi',
  ]
  const places = order.map((words) => text.indexOf(words, text.indexOf('<main')))
  assert.ok(!places.includes(-1), String(places))
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  )
  assert.match(text, /formaction="[^"]+\/reject">Refuser<\/button><button>Approuver<\/button>/)
  assert.doesNotMatch(text, / style=| onclick=/)
})

test('an approval sends the payout once, and a repeated submission is the same decision', async () => {
  const shop = await newShop()
  const id = await ask(shop)
  const step_up_id = await begin(shop, shop.aya, 'approve', id)
  assert.equal(await statusOf(shop, id), 'pending_approval', 'the question decides nothing')
  const done = await finish(shop, shop.aya, 'approve', id, step_up_id)
  assert.equal(done.status, 303, done.text)
  assert.equal(done.location, `${shop.base}/approvals/${id}?done=approved`)
  assert.equal(await statusOf(shop, id), 'approved')
  const { payouts_in_flight, transfer } = await shop.sender.balances()
  const again = await finish(shop, shop.aya, 'approve', id, step_up_id)
  assert.equal(again.status, 200)
  assert.match(again.text, /Vous aviez déjà approuvé\. Rien n’est parti deux fois\./)
  const after = await shop.sender.balances()
  assert.equal(after.payouts_in_flight + after.transfer <= payouts_in_flight + transfer, true)
  const [{ acts } = { acts: 0 }] = await installation.db.sql<{ acts: number }[]>`
    select count(*)::integer as acts from audit_log where subject = ${id} and step_up_id = ${step_up_id}`
  assert.equal(acts, 1, 'the line in the audit log names the proof')
  const { text } = await shop.fatou.get(`${shop.base}/approvals/${id}`)
  assert.match(text, /Approuvé par<\/dt><dd>Aya Kouassi/)
  const { payout_id } = (await shop.sender.read(id)).json() as { payout_id: string }
  const payoutPage = (await shop.viewer.get(`${shop.base}/payouts/${payout_id}`)).text
  assert.match(payoutPage, /Approuvé par Aya Kouassi/)
  assert.match(payoutPage, new RegExp(`href="${shop.base}/approvals/${id}"`), 'a payout leads to its request')
})

test('if two people decide at once, one decision counts, and the other person reads who made it', async () => {
  const shop = await newShop()
  const id = await ask(shop)
  const [ofAya, ofFatou] = [await begin(shop, shop.aya, 'approve', id), await begin(shop, shop.fatou, 'reject', id)]
  const pages = await Promise.all([
    finish(shop, shop.aya, 'approve', id, ofAya),
    finish(shop, shop.fatou, 'reject', id, ofFatou),
  ])
  assert.deepEqual(pages.map(({ status }) => status).toSorted(), [303, 409])
  const late = pages.find(({ status }) => status === 409)!
  assert.match(late.text, /(Déjà approuvé par Aya Kouassi|Déjà refusé par Fatou Bamba).*Votre décision n’a rien changé/)
})

test('a code of another time decides nothing, and the page asks again', async () => {
  const shop = await newShop()
  const id = await ask(shop)
  const step_up_id = await begin(shop, shop.aya, 'approve', id)
  const path = `${shop.base}/approvals/${id}/approve`
  const page = await shop.aya.post(path, { step_up_id, secret_code: '000000' }, `${shop.base}/approvals`)
  assert.equal(page.status, 422)
  assert.notEqual(stepUpOf(page), '')
  assert.equal(await statusOf(shop, id), 'pending_approval')
})

test('a proof for one request does not decide another', async () => {
  const shop = await newShop()
  const [one, other] = [await ask(shop), await ask(shop)]
  const step_up_id = await begin(shop, shop.aya, 'approve', one)
  const page = await finish(shop, shop.aya, 'approve', other, step_up_id)
  assert.equal(page.status, 422)
  assert.equal(await statusOf(shop, other), 'pending_approval')
})

test('a refusal sends nothing, and says so', async () => {
  const shop = await newShop()
  const id = await ask(shop)
  assert.equal((await decide(shop, shop.aya, 'reject', id)).status, 303)
  assert.equal(await statusOf(shop, id), 'rejected')
  const { text } = await shop.aya.get(`${shop.base}/approvals/${id}`)
  assert.match(text, /Rien n’est parti/)
})

test('the maker cannot decide, and reads that another person must', async () => {
  const shop = await newShop()
  const id = await ask(shop)
  // The console's own form requests in the name of a person.
  await installation.db.sql`update payout_requests set made_by = ${shop.aya.email} where id = ${id}`
  const page = await shop.aya.get(`${shop.base}/approvals/${id}`)
  assert.match(page.text, /Cette demande vient de vous/)
  assert.doesNotMatch(page.text, /class="decide"/)
  const tried = await shop.aya.post(`${shop.base}/approvals/${id}/approve`, {}, `${shop.base}/approvals/${id}`)
  assert.equal(tried.status, 409)
  assert.match(tried.text, /Une autre personne décide/)
  assert.equal(await statusOf(shop, id), 'pending_approval')
  const { body: waiting } = await shop.aya.facts(`${shop.base}/approvals`)
  assert.deepEqual(waiting.approvals, [])
  const { body: mine } = await shop.aya.facts(`${shop.base}/approvals?part=mine`)
  assert.deepEqual(
    (mine.approvals as { id: string }[]).map((one) => one.id),
    [id],
  )
})

test('without funds a request goes on waiting, and the page shows the missing amount', async () => {
  const shop = await newShop({ funds: 200_000 })
  const id = await ask(shop)
  const { text } = await shop.aya.get(`${shop.base}/approvals/${id}`)
  assert.match(text, /Il manque 5\d\u202f\d{3}/)
  const page = await shop.aya.post(`${shop.base}/approvals/${id}/approve`, {}, `${shop.base}/approvals/${id}`)
  assert.equal(page.status, 409)
  assert.match(page.text, /Le solde d’envoi ne suffit pas/)
  assert.equal(await statusOf(shop, id), 'pending_approval')
  await shop.sender.deposit(100_000)
  assert.equal((await decide(shop, shop.aya, 'approve', id)).status, 303)
})

test('if the funds are spent during the step-up, the request goes on waiting', async () => {
  const shop = await newShop({ funds: 300_000 })
  const id = await ask(shop)
  const step_up_id = await begin(shop, shop.aya, 'approve', id)
  assert.equal((await shop.sender.send(payout(OPERATION))).status, 201)
  const page = await finish(shop, shop.aya, 'approve', id, step_up_id)
  assert.equal(page.status, 409)
  assert.equal(await statusOf(shop, id), 'pending_approval')
})

test('a request that expires while its page is open is not sent, and the page says so', async () => {
  const shop = await newShop()
  const id = await ask(shop)
  const step_up_id = await begin(shop, shop.aya, 'approve', id)
  await installation.db.sql`
    update payout_requests set expires_at = clock_now() where id = ${id} and status = 'pending_approval'`
  const page = await finish(shop, shop.aya, 'approve', id, step_up_id)
  assert.equal(page.status, 409)
  assert.match(page.text, /a expiré entre-temps/)
  assert.notEqual(await statusOf(shop, id), 'approved')
})

test('a batch shows its total, and its unusual lines first', async () => {
  const shop = await newShop()
  const known = inline()
  assert.equal((await shop.sender.send({ amount: 500, beneficiary: known })).status, 201)
  const id = await askBatch(shop, [
    { amount: 600, beneficiary: known },
    { amount: DAY, beneficiary: inline() },
  ])
  const { body } = await shop.aya.facts(`${shop.base}/approvals/${id}`)
  assert.deepEqual(
    (body.lines as { rank: number; unusual: boolean }[]).map(({ rank, unusual }) => [rank, unusual]),
    [
      [2, true],
      [1, false],
    ],
  )
  const { text } = await shop.aya.get(`${shop.base}/approvals/${id}`)
  assert.match(text, /500\u202f600/)
  assert.match(text, /1 à regarder, 1 comme d’habitude/)
})

test('an approved batch is a draft that can be executed; a refused one is over', async () => {
  const shop = await newShop()
  const [yes, no] = [await askBatch(shop), await askBatch(shop)]
  assert.equal((await decide(shop, shop.aya, 'approve', yes)).status, 303)
  const { text } = await shop.aya.get(`${shop.base}/approvals/${yes}`)
  assert.match(text, /il reste à lancer l’envoi, à la page du lot/)
  const links = [...text.slice(text.indexOf('<main')).matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(([, link]) => link!)
  assert.ok(links.length > 1, text)
  for (const link of links) assert.equal((await shop.aya.get(link)).status, 200, link)
  assert.equal((await decide(shop, shop.aya, 'reject', no)).status, 303)
  const status = async (id: string) => ((await shop.sender.readBatch(id)).json() as { status: string }).status
  assert.deepEqual([await status(yes), await status(no)], ['brouillon', 'annule'])
})

test('a batch that was cancelled meanwhile is not approved, and the page says so', async () => {
  const shop = await newShop()
  const id = await askBatch(shop)
  const step_up_id = await begin(shop, shop.aya, 'approve', id)
  assert.equal((await shop.sender.cancel(id)).status, 200)
  const page = await finish(shop, shop.aya, 'approve', id, step_up_id)
  assert.equal(page.status, 409)
  assert.match(page.text, /Le lot a été annulé entre-temps/)
})

test('the page warns of the same amount to the same number, sent or waiting', async () => {
  const shop = await newShop()
  const beneficiary = { ...inline(), msisdn: newNumber() }
  const [one, other] = [await ask(shop, 150_000, beneficiary), await ask(shop, 150_000, beneficiary)]
  const alike = async (id: string) => (await shop.aya.facts(`${shop.base}/approvals/${id}`)).body.alike
  assert.deepEqual(await alike(one), { kind: 'request', id: other })
  assert.equal((await decide(shop, shop.aya, 'approve', one)).status, 303)
  const { payout_id } = (await shop.sender.read(one)).json() as { payout_id: string }
  const told = (await alike(other)) as { kind: string; id: string }
  assert.deepEqual([told.kind, told.id], ['payout', payout_id])
})

test('the list calls no amount usual that it compares with too few payouts', async () => {
  const shop = await newShop()
  const beneficiary = { ...inline(), msisdn: newNumber() }
  assert.equal((await shop.sender.send({ amount: 5_000, beneficiary })).status, 201)
  await ask(shop, 240_000, beneficiary)
  const { text } = await shop.aya.get(`${shop.base}/approvals`)
  assert.match(text, /Trop peu d’envois pour comparer/)
})

test('the page shows the result of a name check, and no address contains it', async () => {
  const shop = await newShop()
  const id = await ask(shop)
  const page = await shop.aya.post(`${shop.base}/approvals/${id}/names`, {}, `${shop.base}/approvals/${id}`)
  assert.equal(page.status, 200, page.text)
  assert.match(page.text, /Nom chez l’opérateur\u00a0: <b>(Le même|Proche|Un autre|Pas de réponse)/)
})

test('a person without the right can read but not decide; another merchant and the other mode have no such page', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const id = await ask(shop)
  const { text } = await shop.viewer.get(`${shop.base}/approvals/${id}`)
  assert.match(text, /Vous ne pouvez pas décider/)
  assert.doesNotMatch(text, /class="decide"/)
  const tried = await shop.viewer.post(`${shop.base}/approvals/${id}/approve`, {}, `${shop.base}/approvals`)
  assert.equal(tried.status, 403)
  assert.equal((await other.aya.get(`${other.base}/approvals/${id}`)).status, 404)
  assert.equal((await other.aya.get(`${shop.base}/approvals/${id}`)).status, 404)
  const inOtherMode = shop.base.replace(/\/(?:live|test)\//, `/${otherMode}/`)
  assert.equal((await shop.aya.get(`${inOtherMode}/approvals/${id}`)).status, 404)
  for (const wrong of ['por_x', 'txn_01jd3c0000000000000000000', '%00', 'por_00000000000000000000000000']) {
    assert.equal((await shop.aya.get(`${shop.base}/approvals/${wrong}`)).status, 404, wrong)
  }
  const developer = await openBrowser(installation.db.sql, installation.services[0]!.address, {
    merchant_id: shop.sender.tenant.merchant_id,
    roles: ['developer'],
  })
  assert.equal((await developer.get(`${shop.base}/approvals`)).status, 403)
})

test('a long list has pages, and decided requests have a list of their own', async () => {
  const shop = await newShop()
  const ids: string[] = []
  for (let count = 0; count < 32; count += 1) ids.push(await ask(shop, 100_001))
  const first = await shop.aya.facts(`${shop.base}/approvals`)
  const then = await shop.aya.facts(`${shop.base}/approvals?after=${String(first.body.after)}`)
  const listed = [first, then].flatMap(({ body }) => (body.approvals as { id: string }[]).map(({ id }) => id))
  assert.deepEqual(listed, ids)
  assert.equal((await decide(shop, shop.aya, 'reject', ids[0]!)).status, 303)
  const { body } = await shop.aya.facts(`${shop.base}/approvals?part=decided`)
  assert.deepEqual(
    (body.approvals as { id: string }[]).map(({ id }) => id),
    [ids[0]],
  )
})
