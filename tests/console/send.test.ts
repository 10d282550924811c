import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { inline, newNumber, newSender, PATIENCE, type Sender } from '../contract/sender.ts'
import { openBrowser, type Page, stepUpIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
import { confirmed, read } from './batch-shop.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

type Shop = { sender: Sender; base: string; aya: Member }

async function newShop({ funds = 1_000_000, roles = ['owner'] } = {}): Promise<Shop> {
  const sender = await newSender(installation, { funds })
  const { merchant_id, livemode } = sender.tenant
  const aya = await openMember(installation, 'Aya Kouassi', { merchant_id, roles })
  return { sender, base: `/console/${livemode ? 'live' : 'test'}/${merchant_id}`, aya }
}

type Fields = Record<string, string>
const form = (fields: Fields): Fields => ({ key: randomUUID(), operator: '', purpose: '', name: '', ...fields })
const ask = ({ base, aya }: Shop, fields: Fields) => aya.post(`${base}/send`, fields)
const make = ({ base, aya }: Shop, fields: Fields) => confirmed(aya, `${base}/send`, fields, `${base}/send`)
const idIn = ({ location }: Page) => location?.split('/').at(-1) ?? ''

const madeBy = async ({ sender: { tenant } }: Shop) => installation.db.sql<{ id: string; amount: number }[]>`
  select id, amount from payouts where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`

test('a person sends money to a typed number with one confirmation, and the operator follows from the number', async () => {
  const shop = await newShop({ funds: 100_000 })
  const { base, sender } = shop
  assert.match(await read(shop.aya.get(`${base}/send`)), /Numéro qui reçoit.*Rien ne part encore/s)
  // As people type: with spaces, an invisible sign, full-width digits and the country.
  const national = `05${newNumber().slice(2)}`
  const written = `+225 ${national.slice(0, 4)}\u200b ${national.slice(4).replace(/\d/g, (one) => String.fromCharCode(0xff10 + Number(one)))}`
  const fields = form({ to: written, amount: '5 000 F', name: 'Koffi Yao', purpose: 'Transport du lundi' })
  const question = await ask(shop, fields)
  const text = await read(question)
  for (const words of [
    /5 000 <small>F CFA/,
    /Koffi Yao/,
    /MTN MoMo/,
    /Premier envoi à ce numéro/,
    /Transport du lundi/,
  ])
    assert.match(text, words)
  assert.match(text, /Aucun envoi de ce montant à ce numéro depuis 35 jours/)
  assert.deepEqual(await madeBy(shop), [], 'nothing leaves without the factor')
  const done = await make(shop, fields)
  const id = idIn(done)
  assert.equal(done.location, `${base}/payouts/${id}`)
  const payout = await sender.untilPayout(id, 'succeeded')
  assert.equal(payout.reference, 'Transport du lundi')
  const { transfer } = await sender.balances()
  assert.equal(transfer, 100_000 - payout.total_debited)
  const [line] = await installation.db.sql<{ act: string; actor: string; proven: boolean; text: string }[]>`
    select act, actor, step_up_id is not null as proven, to_jsonb(a)::text as text from audit_log a where subject = ${id}`
  assert.deepEqual([line!.act, line!.actor, line!.proven], ['payout.make', shop.aya.email, true])
  assert.ok(!line!.text.includes(national.slice(1)), 'the number stays out of the audit log')
})

test('one form makes one payout, however often it is sent, and another content of it is refused', async () => {
  const shop = await newShop()
  const { base } = shop
  const fields = form({ to: newNumber(), amount: '5000' })
  const [one, other] = [await ask(shop, fields), await ask(shop, fields)]
  const answer = async (question: Page) =>
    ask(shop, { ...fields, step_up_id: stepUpIn(question), secret_code: await shop.aya.code() })
  const first = await answer(one)
  const repeated = await answer(other)
  assert.equal(repeated.location, first.location)
  assert.equal((await ask(shop, fields)).location, first.location, 'a repeated POST shows the payout')
  const changed = await ask(shop, { ...fields, amount: '6000' })
  assert.equal(changed.status, 409)
  assert.match(await read(changed), /Ce formulaire a déjà servi à un autre envoi/)
  assert.equal((await madeBy(shop)).length, 1)
  assert.match(first.location!, new RegExp(`^${base}/payouts/txn_`))
})

test('the same number and amount in another tab is pointed out, also when it leaves between question and answer', async () => {
  const shop = await newShop()
  const to = newNumber()
  const tabs = [form({ to, amount: '7000' }), form({ to, amount: '7000' })] as const
  const question = await ask(shop, tabs[0])
  assert.doesNotMatch(await read(question), /Peut-être en double/)
  const other = idIn(await make(shop, tabs[1]))
  const asked = await ask(shop, {
    ...tabs[0],
    step_up_id: stepUpIn(question),
    secret_code: await shop.aya.code(),
  })
  assert.equal(asked.status, 422, 'the content has changed')
  assert.match(await read(asked), new RegExp(`Peut-être en double.*/payouts/${other}`, 's'))
  assert.equal((await madeBy(shop)).length, 1)
  assert.match((await make(shop, tabs[0])).location!, /\/payouts\/txn_/, 'a person may say that it is another one')
})

test('each refusal has a sentence, comes before the factor, and keeps the typed text', async () => {
  const shop = await newShop({ funds: 50_000 })
  const to = newNumber()
  for (const [fields, words] of [
    [{ to, amount: '5.000,50' }, /nombre entier de francs/],
    [{ to, amount: '5.000' }, /sans point ni virgule : 5 000/],
    [{ to, amount: '0' }, /nombre entier de francs/],
    [{ to, amount: '-5000' }, /nombre entier de francs/],
    [{ to, amount: '' }, /nombre entier de francs/],
    [{ to: '', amount: '5000' }, /Écrivez le numéro qui reçoit/],
    [{ to: '27 20 31 44 08', amount: '5000' }, /Ce numéro ne se lit pas : dix chiffres/],
    [{ to: '+33 6 12 34 56 78', amount: '5000' }, /France|pays/],
    [{ to, amount: '60 000' }, /Il y a 50 000 F CFA pour vos envois ; il faut 60 \d{3} F CFA avec les frais/],
  ] as const) {
    const page = await ask(shop, form(fields))
    assert.equal(page.status, 422, JSON.stringify(fields))
    const text = await read(page)
    assert.match(text, words)
    assert.ok(!text.includes('step_up_id'))
    if (fields.amount !== '') assert.ok(text.includes(`value="${fields.amount}"`), fields.amount)
  }
  assert.deepEqual(await madeBy(shop), [])
})

test('above a cap it waits as a request of this person, who does not approve it, and the question says so', async () => {
  const shop = await newShop()
  const { base, aya } = shop
  const fields = form({ to: newNumber(), amount: '150 000', name: 'Koffi Yao' })
  assert.match(await read(ask(shop, fields)), /Une autre personne valide d’abord.*au-dessus de 100 000 F CFA/s)
  const done = await make(shop, fields)
  const id = idIn(done)
  assert.equal(done.location, `${base}/approvals/${id}`)
  const { transfer } = await shop.sender.balances()
  assert.equal(transfer, 1_000_000, 'no money is taken')
  const own = await aya.post(`${base}/approvals/${id}/approve`, {}, `${base}/approvals/${id}`)
  assert.equal(own.status, 409)
  const { merchant_id } = shop.sender.tenant
  const awa = await openMember(installation, 'Awa', { merchant_id, roles: ['approver'] })
  const page = `${base}/approvals/${id}`
  assert.equal((await confirmed(awa, `${page}/approve`, {}, page)).status, 303)
  assert.equal((await madeBy(shop)).length, 1)
})

test('a person of the book is sent to by the entry, and a former payout is repeated as it was', async () => {
  const shop = await newShop()
  const { base, aya, sender } = shop
  const { beneficiary } = { beneficiary: { ...inline(), operator: 'wave_ci', name: 'Koné Transport' } }
  const { id } = (await sender.send({ amount: 8_000, beneficiary, reference: 'Facture 71' })).json() as { id: string }
  const [entry] = await installation.db.sql<{ id: string }[]>`
    select id from beneficiaries where merchant_id = ${sender.tenant.merchant_id}`
  const again = await read(aya.get(`${base}/send?again=${id}`))
  for (const words of [/Envoyer à Koné Transport/, /value="8 000"/, /value="Facture 71"/, /wave_ci/])
    assert.match(again, words)
  const fromBook = await read(aya.get(`${base}/send?to=${entry!.id}`))
  assert.match(fromBook, /Envoyer à Koné Transport/)
  const made = idIn(await make(shop, form({ beneficiary: entry!.id, amount: '9000' })))
  const [payout] = await installation.db.sql`select operator, is_inline, name from payouts where id = ${made}`
  assert.deepEqual(payout, { operator: 'wave_ci', is_inline: false, name: 'Koné Transport' })
})

test('an entry or a payout of another merchant is unknown, and so is that of the other mode', async () => {
  const [shop, other] = [await newShop(), await newShop()]
  const { id } = (await other.sender.send({ amount: 8_000, beneficiary: inline() })).json() as { id: string }
  const [entry] = await installation.db.sql<{ id: string }[]>`
    select id from beneficiaries where merchant_id = ${other.sender.tenant.merchant_id}`
  for (const query of [`again=${id}`, `to=${entry!.id}`, 'again=x', 'to=x'])
    assert.equal((await shop.aya.get(`${shop.base}/send?${query}`)).status, 404, query)
  const foreign = await ask(shop, form({ beneficiary: entry!.id, amount: '5000' }))
  assert.equal(foreign.status, 422)
  assert.match(await read(foreign), /Ce bénéficiaire n’est plus dans votre liste/)
  const elsewhere = other.base.replace(/\/(?:live|test)\//, `/${otherMode}/`)
  assert.equal((await other.aya.get(`${elsewhere}/send?again=${id}`)).status, 404)
})

test('only those who may send money see the form', async () => {
  const { sender, base } = await newShop()
  const { merchant_id } = sender.tenant
  const { address } = installation.services[0]!
  for (const role of ['viewer', 'approver', 'accountant', 'developer']) {
    const person = await openBrowser(installation.db.sql, address, { merchant_id, roles: [role] })
    assert.equal((await person.get(`${base}/send`)).status, 403, role)
    assert.equal(
      (await person.post(`${base}/send`, form({ to: newNumber(), amount: '1' }), `${base}/account`)).status,
      403,
    )
  }
})

test('the operator’s answer about a name is shown, and never the holder’s name', async () => {
  const shop = await newShop()
  for (const [end, words] of [
    ['1234', /Nom chez Orange Money : le même que « Koffi Yao »/],
    ['0021', /Nom chez Orange Money : proche de « Koffi Yao », sans plus/],
    ['0022', /Nom chez Orange Money : un autre que « Koffi Yao »/],
  ] as const)
    assert.match(await read(ask(shop, form({ to: newNumber(end), amount: '5000', name: 'Koffi Yao' }))), words, end)
  const silent = await read(ask(shop, form({ to: newNumber('0023'), amount: '5000', name: 'Koffi Yao' })))
  assert.doesNotMatch(silent, /Nom chez/)
})

test('a failed payout says where the money is and what to do, and its operator is asked before it is sent again', async () => {
  const shop = await newShop({ funds: 50_000 })
  const { base, aya, sender } = shop
  const full = idIn(await make(shop, form({ to: newNumber('0001'), amount: '6000' })))
  const gone = idIn(await make(shop, form({ to: newNumber('0002'), amount: '6000' })))
  for (const id of [full, gone]) await sender.untilPayout(id, 'failed')
  const page = await read(aya.get(`${base}/payouts/${full}`))
  assert.match(page, /6 000 F CFA sont revenus dans l’argent de vos envois/)
  assert.match(page, /Renvoyer au même numéro.*Vers un autre numéro/s)
  assert.match(await read(aya.get(`${base}/payouts/${gone}`)), /Choisir un autre opérateur/)
  // The number that its operator does not know is typed anew, and its operator chosen.
  const other = await read(aya.get(`${base}/send?again=${gone}`))
  assert.match(other, /name="to" type="tel" value="07/)
  const again = await aya.get(`${base}/send?again=${full}`)
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(again.text)?.[1] ?? ''
  const fields = form({ to: hidden('to'), operator: hidden('operator'), again: full, amount: '6 000' })
  const question = await waitFor(
    async () => {
      const answer = await ask(shop, fields)
      if (answer.status === 200) return read(answer)
      assert.match(await read(answer), /On demande à l’opérateur s’il est parti malgré tout/)
      return false
    },
    { ...PATIENCE, what: 'the operator to answer about the failed payout' },
  )
  assert.match(question, /Un envoi pareil a échoué il y a peu/)
  assert.match(question, /L’opérateur (?:le refuse encore|ne l’a pas)/)
})
