import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newNumber } from '../contract/sender.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { type Page, stepUpIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// A merchant of one person changes where its money goes: the company calls its owner, and two of its people decide.

let installation: Installation
let yao: Member
let awa: Member
before(async () => {
  installation = await openInstallation()
  yao = await openMember(installation, 'Yao Brou', { staff: ['compliance'] })
  awa = await openMember(installation, 'Awa Traoré', { staff: ['compliance'] })
})
after(() => installation[Symbol.asyncDispose]())

type Shop = { settler: Settler; base: string; aya: Member; number: string }

async function newShop(): Promise<Shop> {
  const settler = await newSettler(installation, { available: 40_000 })
  const { merchant_id } = settler.tenant
  const aya = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  return { settler, base: `/console/${mode}/${merchant_id}`, aya, number: newNumber() }
}

const desk = (path = '') => `/desk/${mode}/destinations${path}`

/** Proposes another destination. Returns the id of the proposal. */
async function propose({ base, aya, number }: Shop, more: Record<string, string> = {}): Promise<string> {
  const typed = { to: 'wallet', iban: '', msisdn: number, operator: 'wave_ci', holder: 'Aya Kouassi', ...more }
  const { done } = await aya.confirm(`${base}/destination`, typed, `${base}/destination`)
  assert.equal(done.location, `${base}/destination?done=company_calls`, done.text)
  const { waiting } = (await aya.facts(`${base}/destination`)).body as { waiting: { id: string } }
  return waiting.id
}

const heard = ({ number }: Shop, more: Record<string, string> = {}) => ({
  ...{ number: '07 08 63 51 40', answered: 'owner', last4: number.slice(-4), report: 'Compte ouvert en novembre' },
  ...more,
})

const on = async (who: Member, path: string, fields: Record<string, string> = {}): Promise<Page> =>
  (await who.confirm(desk(path), fields, desk())).done

const designated = async ({ settler: { tenant } }: Shop) => {
  const [row] = await installation.db.sql<{ msisdn: string | null }[]>`
    select msisdn from beneficiaries
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and designated_at is not null`
  return row?.msisdn ?? null
}

test('one person of the company calls and hears the digits, another confirms, and the delay begins', async () => {
  const shop = await newShop()
  const { base, aya, number } = shop
  const id = await propose(shop)
  assert.match((await aya.get(`${base}/destination`)).text, /Nous vous rappelons[\s\S]*jamais un code/)
  const before = await yao.get(desk(`/${id}`))
  assert.match(before.text, /À appeler/)
  const main = before.text.slice(before.text.indexOf('<main'))
  assert.ok(!main.includes(number.slice(-4)), 'the caller reads the end of the account nowhere')
  assert.ok(!JSON.stringify((await yao.facts(desk(`/${id}`))).body).includes(`"${number.slice(-4)}"`))
  assert.equal((await on(awa, `/${id}/confirm`)).status, 409, 'nobody has called')
  assert.match((await yao.get(`/desk/${mode}`)).text, /Destination\s: appeler le marchand/)
  // A visit of the merchant's console does not tell what the caller has to hear.
  const merchant = `/desk/${mode}/merchants/${shop.settler.tenant.merchant_id}`
  await yao.post(`${merchant}/look`, { reason: 'Avant le rappel' }, merchant)
  const visited = await yao.get(`${base}/destination`)
  assert.match(visited.text, /Nous vous rappelons/)
  assert.ok(!visited.text.slice(visited.text.indexOf('<main')).includes(number.slice(-4)))
  assert.ok(!JSON.stringify((await yao.facts(`${base}/destination`)).body).includes(`"${number.slice(-4)}"`))

  assert.equal((await on(yao, `/${id}/call`, heard(shop))).location, desk(`/${id}?done=called`))
  const own = await on(yao, `/${id}/confirm`)
  assert.equal(own.status, 409, 'the one who called does not confirm')
  const evidence = await awa.get(desk(`/${id}`))
  assert.match(evidence.text, /Yao Brou[\s\S]*07 08 63 51 40[\s\S]*Compte ouvert en novembre/)
  assert.equal(await designated(shop), null)
  assert.equal((await on(awa, `/${id}/confirm`)).location, desk(`/${id}?done=confirmed`))
  assert.ok((await designated(shop))!.endsWith(number.slice(-9)))
  const page = await aya.get(`${base}/destination`)
  assert.match(page.text, /Encore (?:23 h|1 j)[\s\S]*confirmée par l’équipe du service après un appel/)
  for (const secret of ['07 08 63 51 40', 'Compte ouvert', 'Yao Brou']) assert.ok(!page.text.includes(secret), secret)
})

test('wrong digits, another voice and a second call are refused, and nothing is noted', async () => {
  const shop = await newShop()
  const id = await propose(shop)
  const other = String((Number(shop.number.slice(-4)) + 1) % 10_000).padStart(4, '0')
  for (const [typed, words] of [
    [{ last4: other }, /pas les chiffres du compte/],
    [{ answered: 'other' }, /Seule la personne propriétaire/],
    [{ answered: 'nobody' }, /Seule la personne propriétaire/],
    [{ report: ' ' }, /Écrivez pourquoi/],
  ] as const) {
    const refused = await on(yao, `/${id}/call`, heard(shop, typed))
    assert.equal(refused.status, 409)
    assert.equal(stepUpIn(refused), '')
    assert.match(refused.text, words)
  }
  assert.match((await awa.get(desk(`/${id}`))).text, /À appeler/)
  await on(yao, `/${id}/call`, heard(shop))
  assert.match((await on(awa, `/${id}/call`, heard(shop))).text, /déjà noté/)
})

test('any of the company stops it with a reason that the owner reads, and the owner withdraws it until then', async () => {
  const shop = await newShop()
  const { base, aya } = shop
  const first = await propose(shop)
  const reason = 'Elle n’a rien demandé'
  assert.equal((await yao.post(desk(`/${first}/refuse`), { reason }, desk())).location, desk(`/${first}?done=stopped`))
  assert.ok((await aya.get(`${base}/destination`)).text.includes(reason))
  assert.equal((await on(yao, `/${first}/call`, heard(shop))).status, 409)
  const second = await propose(shop)
  const back = await aya.post(`${base}/destination/${second}/withdraw`, {}, `${base}/destination`)
  assert.equal(back.location, `${base}/destination?done=removed`)
  assert.match((await awa.get(desk(`/${second}`))).text, /Retiré par le marchand/)
  assert.equal(await designated(shop), null)
})

test('a second person of the merchant who comes later does not confirm in place of the company', async () => {
  const shop = await newShop()
  const { base, settler } = shop
  const id = await propose(shop)
  const { merchant_id } = settler.tenant
  const late = await openMember(installation, 'Fatou Bamba', { merchant_id, roles: ['approver'] })
  const { done } = await late.confirm(`${base}/destination/${id}/confirm`, {}, `${base}/destination`)
  assert.equal(done.status, 409)
  assert.match(done.text, /deux de ses personnes confirment/)
  const { status } = await yao.get(`/desk/${otherMode}/destinations/${id}`)
  assert.equal(status, 404)
})

test('the change says that nothing leaves for a day, and withdraws what is available first in the same act', async () => {
  const shop = await newShop()
  const { base, aya, settler } = shop
  const { available } = await settler.balances()
  const { text } = await aya.get(`${base}/destination`)
  assert.match(text, /rien ne se retire pendant 24 h/)
  assert.ok(text.includes(`name="withdraw" value="${available}"`))
  const typed = {
    to: 'wallet',
    iban: '',
    msisdn: shop.number,
    operator: 'wave_ci',
    holder: 'Aya',
    withdraw: String(available + 1),
  }
  const short = await aya.confirm(`${base}/destination`, typed, `${base}/destination`)
  assert.match(short.done.text, /Rien n’est retiré ni proposé/)
  await propose(shop, { withdraw: String(available) })
  assert.equal((await settler.balances()).available, 0)
  const [settlement, ...others] = await installation.db.sql`
    select amount, made_by, beneficiary_id, status from settlements where merchant_id = ${settler.tenant.merchant_id}`
  assert.deepEqual(
    [settlement, others.length],
    [{ amount: available, made_by: aya.email, beneficiary_id: settler.destination, status: 'pending_validation' }, 0],
  )
  const lines = await installation.db.sql`
    select act from audit_log where merchant_id = ${settler.tenant.merchant_id} and step_up_id is not null order by act`
  assert.deepEqual(
    lines.map(({ act }) => act),
    ['destination.create', 'destination.propose', 'settlement.request'],
  )
})
