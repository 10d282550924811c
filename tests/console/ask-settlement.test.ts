import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newNumber } from '../contract/sender.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { openBrowser, type Page, stepUpIn } from '../harness/console.ts'
import { hold, untilWaiting } from '../harness/hold.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ waits: true })
})
after(() => installation[Symbol.asyncDispose]())

type Shop = { settler: Settler; base: string; aya: Member }

async function newShop(options: Parameters<typeof newSettler>[1] = {}): Promise<Shop> {
  const settler = await newSettler(installation, options)
  const { merchant_id, livemode } = settler.tenant
  const aya = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['accountant'] })
  return { settler, base: `/console/${livemode ? 'live' : 'test'}/${merchant_id}`, aya }
}

const hidden = (page: Page, name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page.text)?.[1] ?? ''

/** Returns the form of the page, with an amount. */
async function openForm({ base, aya }: Shop, amount: string) {
  const page = await aya.get(`${base}/settlements`)
  return { amount, form: hidden(page, 'form'), destination: hidden(page, 'destination') }
}

const send = ({ base, aya }: Shop, fields: Record<string, string>) => aya.post(`${base}/settlements`, fields)

/** Submits a form and answers the step-up. */
async function ask(shop: Shop, fields: Record<string, string>): Promise<Page> {
  const question = await send(shop, fields)
  assert.equal(question.status, 200, question.text)
  return send(shop, { ...fields, step_up_id: stepUpIn(question), secret_code: await shop.aya.code() })
}

const made = async ({ settler: { tenant } }: Shop) => installation.db.sql<
  { id: string; made_by: string; amount: number }[]
>`
  select id, made_by, amount from settlements where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`

test('a person requests a settlement with a fresh factor, and is its maker', async () => {
  const shop = await newShop({ available: 60_000 })
  const { base, aya, settler } = shop
  const page = await aya.get(`${base}/settlements`)
  const { available } = await settler.balances()
  assert.ok(
    page.text.includes(`value="${String(available).replace(/\B(?=(?:\d{3})+$)/g, ' ')}"`),
    'all that is available',
  )
  assert.match(page.text, /Au moins 5\u202f000/)
  assert.match(page.text, /compte bancaire ••\u00a00589/)
  const fields = await openForm(shop, '20 000')
  const question = await send(shop, fields)
  assert.match(question.text, /20\u202f000/)
  assert.match(question.text, /••\u00a00589/)
  assert.deepEqual(await made(shop), [], 'nothing is asked for without the factor')
  const done = await ask(shop, fields)
  assert.equal(done.location, `${base}/settlements?done=settlement_asked`)
  const [settlement, ...others] = await made(shop)
  assert.deepEqual([settlement!.amount, settlement!.made_by, others], [20_000, aya.email, []])
  assert.equal((await settler.balances()).available, available - 20_000)
  const list = (await aya.get(`${base}/settlements`)).text
  for (const words of [/À valider/, /par vous/, /ompte bancaire ••\u00a00589<span class="sub">Boutique/])
    assert.match(list, words)
  const [line] = await installation.db.sql`
    select actor, act, step_up_id is not null as proven from audit_log where subject = ${settlement!.id}`
  assert.deepEqual(line, { actor: aya.email, act: 'settlement.request', proven: true })
})

test('one form makes one settlement: a repeated submission shows it, and another amount is refused', async () => {
  const shop = await newShop({ available: 60_000 })
  const { base } = shop
  const fields = await openForm(shop, '10 000')
  await ask(shop, fields)
  assert.equal((await send(shop, fields)).location, `${base}/settlements?done=settlement_asked`)
  const other = await send(shop, { ...fields, amount: '11 000' })
  assert.equal(other.status, 409)
  assert.match(other.text, /Ce formulaire a déjà servi/)
  assert.match(other.text, /value="11 000"/, 'what was typed stays')
  assert.equal((await made(shop)).length, 1)
  await ask(shop, await openForm(shop, '10 000'))
  assert.equal((await made(shop)).length, 2, 'the page opened anew is another request')
})

test('a second answer to the step-up while the first is carried out makes no second settlement', async () => {
  const shop = await newShop({ available: 60_000 })
  const { base, settler } = shop
  const { merchant_id, livemode } = settler.tenant
  const fields = await openForm(shop, '10 000')
  const [one, other] = [await send(shop, fields), await send(shop, fields)]
  const answer = async (question: Page) =>
    send(shop, { ...fields, step_up_id: stepUpIn(question), secret_code: await shop.aya.code() })
  // The first request has used its factor and waits for the balance.
  const held = await hold(
    installation.db.sql,
    (tx) => tx`
      select from accounts
       where merchant_id = ${merchant_id} and livemode = ${livemode} and account = 'available' for update`,
  )
  const first = answer(one)
  await untilWaiting(installation.db.sql)
  // The first one holds the key of the form.
  const second = await answer(other)
  assert.equal(second.status, 409)
  assert.match(second.text, /déjà en route/)
  await held.letGo()
  assert.equal((await first).location, `${base}/settlements?done=settlement_asked`)
  assert.equal((await made(shop)).length, 1)
})

test('each refusal has a sentence, comes before the step-up, and keeps the typed text', async () => {
  const shop = await newShop({ available: 20_000 })
  const { available } = await shop.settler.balances()
  for (const [amount, words] of [
    ['beaucoup', /nombre entier de francs/],
    ['4 999', /Demandez au moins 5\u202f000/],
    [String(available + 1), /sont disponibles\u00a0: demandez cette somme au plus/],
  ] as const) {
    const page = await send(shop, await openForm(shop, amount))
    assert.equal(page.status, 422, page.text)
    assert.match(page.text, words)
    assert.ok(page.text.includes(`value="${amount}"`), amount)
    assert.ok(!page.text.includes('step_up_id'))
  }
  const changed = await send(shop, { ...(await openForm(shop, '6 000')), destination: crypto.randomUUID() })
  assert.equal(changed.status, 422)
  assert.match(changed.text, /a changé entre-temps/)
  assert.deepEqual(await made(shop), [])
})

test('a destination that changes after the question is not paid', async () => {
  const shop = await newShop({ available: 20_000 })
  const fields = await openForm(shop, '6 000')
  const question = await send(shop, fields)
  await shop.settler.designate(await shop.settler.newWallet(newNumber()))
  const late = await send(shop, {
    ...fields,
    step_up_id: stepUpIn(question),
    secret_code: await shop.aya.code(),
  })
  assert.equal(late.status, 422)
  assert.match(late.text, /Encore (?:23 h|1 j)/, 'the new one cools')
  assert.match(late.text, /elle sert à partir du/)
  assert.deepEqual(await made(shop), [])
})

test('without a destination, or with a balance below the floor, the form says why nothing can be requested', async () => {
  const poor = await newShop({ available: 0 })
  assert.match((await poor.aya.get(`${poor.base}/settlements`)).text, /Il se demande dès que le solde/)
  await installation.db.sql`
    update beneficiaries set designated_at = null where merchant_id = ${poor.settler.tenant.merchant_id}`
  assert.match((await poor.aya.get(`${poor.base}/settlements`)).text, /Désignez d’abord/)
})

test('of many open requests the page shows the newest, and counts all the others', async () => {
  const { settler, base, aya } = await newShop({ available: 200_000 })
  const ids: string[] = []
  for (let nth = 0; nth < 22; nth += 1) ids.push(((await settler.request(5_000)).json() as { id: string }).id)
  const { newest, open } = (await aya.facts(`${base}/settlements`)).body as { newest: string; open: number }
  assert.deepEqual([newest, open], [ids.at(-1), 22])
})

test('a viewer reads the list and who may request, but cannot request; another merchant and the other mode have lists of their own', async () => {
  const shop = await newShop({ available: 20_000 })
  const { base, settler } = shop
  const { merchant_id } = settler.tenant
  const { sql } = installation.db
  const { address } = installation.services[0]!
  const viewer = await openBrowser(sql, address, { merchant_id, roles: ['viewer'] })
  const page = await viewer.get(`${base}/settlements`)
  assert.equal(page.status, 200)
  assert.match(page.text, /l’un de ces rôles\u00a0: Propriétaire, Comptable/)
  assert.equal((await viewer.post(`${base}/settlements`, {}, `${base}/account`)).status, 403)
  const fields = await openForm(shop, '6 000')
  const elsewhere = `/console/${otherMode}/${merchant_id}/settlements`
  const refused = await shop.aya.post(elsewhere, fields)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /Désignez d’abord/)
  const other = await newShop({ available: 0 })
  assert.equal((await other.aya.post(`${base}/settlements`, fields, `${other.base}/settlements`)).status, 404)
  assert.deepEqual(await made(shop), [])
})
