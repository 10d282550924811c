import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Browser, openBrowser } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { livemode, mode, otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'

// Asking for a payment on the screens of a shop: a code to show, a link to send, a number that is asked now.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

async function newCounter() {
  const { merchant_id } = await installation.newMerchant()
  const { sql } = installation.db
  const { address } = installation.services[0]!
  const open = (roles: string[], name = 'Aya Kouassi') => openBrowser(sql, address, { merchant_id, roles, name })
  const base = `/console/${mode}/${merchant_id}`
  const payments = () => sql<{ id: string; status: string; msisdn: string; checkout_session_id: string }[]>`
    select id, status, msisdn, checkout_session_id
      from payments
     where merchant_id = ${merchant_id} and livemode = ${livemode}
     order by id`
  const lines = () => sql<{ act: string; actor: string; subject: string; after: object }[]>`
    select act, actor, subject, after
      from audit_log
     where merchant_id = ${merchant_id} and act ~ '^(payment|checkout|link)\\.'
     order by at, id`
  return { merchant_id, base, open, payments, lines, owner: await open(['owner']) }
}

type Sale = {
  state: string
  url: string
  session: { id: string; amount: number }
  attempt: { id: string; last4: string }
}
const saleAt = async (person: Browser, location: string | null) =>
  (await person.facts(location!)).body as unknown as Sale

/** Waits until the page of a sale has one of these states. */
const untilSale = (person: Browser, location: string | null, ...states: string[]) =>
  waitFor(
    async () => {
      const sale = await saleAt(person, location)
      return states.includes(sale.state) && sale
    },
    { what: `the sale to be ${states.join(' or ')}`, deadline_ms: 60_000 },
  )

/** The main part of a page, with plain spaces. */
const mainOf = async (person: Browser, path: string | null) => {
  const { text } = await person.get(path!)
  return text.slice(text.indexOf('<main'), text.indexOf('</main>')).replace(/[\u00a0\u202f]/g, ' ')
}

const formOf = async (person: Browser, base: string) =>
  /name="form" value="([^"]+)"/.exec((await person.get(`${base}/pay`)).text)![1]!

/** Sends the form of a sale as the page gave it. */
const submit = async (person: Browser, base: string, act: string, fields: Record<string, string>) =>
  person.post(`${base}/pay/${act}`, { form: await formOf(person, base), ...fields }, `${base}/pay`)

test('an amount makes a code that any payer scans; the code and its page cost no payment', async () => {
  const { base, owner, payments, lines } = await newCounter()
  const { status, location } = await submit(owner, base, 'code', { amount: '12 500', description: 'Pagne wax' })
  assert.equal(status, 303)
  const { text } = await owner.get(location!)
  const main = await mainOf(owner, location)
  assert.ok(/À payer : <\/span><span class="sum">12 500/.test(main))
  assert.ok(/<svg class="qr"/.test(main))
  assert.match(text.slice(0, 1_500), /<noscript><meta http-equiv="refresh" content="5"><\/noscript>/)
  const sale = await saleAt(owner, location)
  assert.deepEqual([sale.state, sale.session.amount], ['open', 12_500])
  const page = await fetch(sale.url)
  assert.equal(page.status, 200)
  assert.ok(/12\u202f500/.test(await page.text()))
  assert.ok(text.includes(encodeURIComponent(sale.url)), 'WhatsApp carries the address of the payer’s page')
  assert.deepEqual(await payments(), [])
  assert.deepEqual(
    (await lines()).map(({ act, actor, subject, after }) => [act, actor, subject, after]),
    [['checkout.create', owner.email, sale.session.id, { amount: 12_500 }]],
  )
})

test('a number is asked at once, and the page turns to "Paid" with its last digits and never the whole number', async () => {
  const { base, owner, payments, lines } = await newCounter()
  const number = newPayer()
  const { location } = await submit(owner, base, 'ask', { amount: '5000', description: '', number })
  const paid = await untilSale(owner, location, 'paid')
  assert.equal(paid.attempt.last4, number.slice(-4))
  const text = await mainOf(owner, location)
  assert.match(text, /<div class="paid" role="status" data-paid="cs_\w+">.*<h1>Payé <span class="sum">5 000/)
  assert.match(text, /<p class="end">•• 00 00<\/p>/)
  assert.doesNotMatch(text, /data-moving/)
  assert.ok(!text.includes(number.slice(1)) && !JSON.stringify(paid).includes(number.slice(1)))
  const [payment, ...others] = await payments()
  const { text: own } = await owner.get(`${base}/payments/${payment!.id}`)
  const [, again = ''] = /wa\.me\/\?text=([^"]+)"[^>]*>.*?Renvoyer le reçu/.exec(own)!
  assert.ok(decodeURIComponent(again).endsWith(paid.url) && !decodeURIComponent(again).includes(number.slice(1)))
  // Of a page that another payer paid since, the receipt is not theirs.
  const payTo = (payment_id: string) =>
    installation.db.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`update checkout_sessions set payment_id = ${payment_id} where id = ${paid.session.id}`
    })
  await payTo('txn_other')
  assert.ok(!(await owner.get(`${base}/payments/${payment!.id}`)).text.includes('Renvoyer le reçu'))
  // Other files of this installation audit its books.
  await payTo(payment!.id)
  assert.ok(own.indexOf('Les faits') < own.indexOf('<details class="panel"><summary>Toute l’histoire'))
  assert.deepEqual([payment!.id, payment!.checkout_session_id, others], [paid.attempt.id, paid.session.id, []])
  assert.deepEqual(
    (await lines()).map(({ act, subject, after }) => [act, subject, after]),
    [['payment.ask', paid.session.id, { amount: 5_000, operator: 'orange_ci' }]],
  )
})

test('a form that is sent twice, at once or later, asks the payer once', async () => {
  const { base, owner, payments, lines } = await newCounter()
  const sent = { amount: '5000', description: '', number: newPayer(), form: await formOf(owner, base) }
  const answers = await Promise.all([1, 2, 3].map(() => submit(owner, base, 'ask', sent)))
  answers.push(await submit(owner, base, 'ask', sent))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [303])
  assert.equal(new Set(answers.map(({ location }) => location)).size, 1)
  assert.equal((await payments()).length, 1)
  assert.equal((await lines()).length, 1)
  const codes = await Promise.all([1, 2].map(() => submit(owner, base, 'code', { ...sent, number: '' })))
  assert.equal(new Set(codes.map(({ location }) => location)).size, 1)
  const other = await submit(owner, base, 'ask', { ...sent, number: newPayer() })
  assert.notEqual(other.location, answers[0]!.location, 'another number is another sale')
})

test('a form without our nonce, or with that of another merchant, is shown again with what was typed, and nobody is asked', async () => {
  const { base, owner, payments, lines } = await newCounter()
  const elsewhere = await newCounter()
  const number = newPayer()
  for (const form of [
    '',
    'lz8k3x2p.AAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
    await formOf(elsewhere.owner, elsewhere.base),
  ]) {
    for (const act of ['ask', 'code', 'link']) {
      const shown = await submit(owner, base, act, { amount: '5000', description: 'Pagne', number, form })
      assert.equal(shown.status, 422, act)
      assert.match(shown.text, /Ce formulaire était trop vieux/)
      for (const value of ['5000', 'Pagne', number]) assert.ok(shown.text.includes(`value="${value}"`), value)
    }
  }
  assert.deepEqual([await payments(), await lines()], [[], []])
})

test('a code that is shown first and the number that is asked then are one sale', async () => {
  const { base, owner, payments } = await newCounter()
  const sent = { amount: '5000', description: '', number: newPayer(), form: await formOf(owner, base) }
  const code = await submit(owner, base, 'code', sent)
  assert.deepEqual(await payments(), [])
  const asked = await submit(owner, base, 'ask', sent)
  assert.equal(asked.location, code.location)
  assert.equal((await payments()).length, 1)
  await untilSale(owner, asked.location, 'paid')
  assert.equal((await submit(owner, base, 'ask', sent)).location, code.location)
  assert.equal((await payments()).length, 1)
})

test('a merchant that is deactivated makes neither a code nor a link', async () => {
  const { base, owner, merchant_id } = await newCounter()
  await installation.db.sql`update merchants set active = false where merchant_id = ${merchant_id}`
  for (const act of ['code', 'link', 'ask']) {
    const { status, text } = await submit(owner, base, act, { amount: '5000', description: '', number: newPayer() })
    assert.equal(status, 422, act)
    assert.match(text, /Votre compte est suspendu/)
  }
})

test('a refused payer leads to "Not paid" with the reason; the same number is asked again, once', async () => {
  const { base, owner, payments, lines } = await newCounter()
  // The simulator: a number that ends in 0002 declines.
  const number = newPayer().replace(/0000$/, '0002')
  const { location } = await submit(owner, base, 'ask', { amount: '5000', description: '', number })
  await untilSale(owner, location, 'failed')
  const text = await mainOf(owner, location)
  assert.match(text, /<h1>Pas payé/)
  assert.match(text, /Le client a refusé. Rien n’a été pris./)
  assert.ok(/<svg class="qr"/.test(await mainOf(owner, `${location}?code=1`)))
  const again = await Promise.all([1, 2].map(() => owner.post(`${location}/ask`, {}, location!)))
  assert.deepEqual(
    again.map((answer) => [answer.status, answer.location]),
    [
      [303, location],
      [303, location],
    ],
  )
  await untilSale(owner, location, 'failed')
  assert.deepEqual(
    (await payments()).map(({ msisdn }) => msisdn),
    [`+225${number}`, `+225${number}`],
  )
  assert.deepEqual(
    (await lines()).map(({ act }) => act),
    ['payment.ask', 'payment.ask_again'],
  )
})

test('a one-time code and an app are the payer’s own: the code to show takes their place, and no field asks for them', async () => {
  const { base, owner } = await newCounter()
  // The simulator: a number that ends in 0008 types a one-time code, one in 0009 opens an app.
  for (const end of ['0008', '0009']) {
    const number = newPayer().replace(/0000$/, end)
    const { location } = await submit(owner, base, 'ask', { amount: '5000', description: '', number })
    const sale = await untilSale(owner, location, 'payers_turn')
    const main = await mainOf(owner, location)
    assert.ok(/<svg class="qr"/.test(main))
    assert.ok(/Son code secret n’est que pour lui/.test(main))
    assert.ok(!/<input(?! type="hidden")/.test(main))
    assert.equal((await fetch(sale.url)).status, 200)
  }
})

test('a shop asks sixty numbers in a minute, and no list of strangers', async () => {
  const { base, owner, payments } = await newCounter()
  const form = await formOf(owner, base)
  let made = 0
  // The count begins anew with each minute of the clock, at most once meanwhile.
  for (; made < 121; made += 1) {
    const asked = await submit(owner, base, 'ask', { amount: '5000', description: '', number: newPayer(), form })
    if (asked.status === 303) continue
    assert.equal(asked.status, 422)
    assert.match(asked.text, /Votre équipe a demandé trop de numéros en une minute/)
    break
  }
  assert.ok(made >= 60 && made < 121, String(made))
  assert.equal((await payments()).length, made)
})

test('a sale above a limit that was lowered since is not asked again', async () => {
  const { base, owner, merchant_id, payments } = await newCounter()
  const number = newPayer().replace(/0000$/, '0002')
  const { location } = await submit(owner, base, 'ask', { amount: '5000', description: '', number })
  await untilSale(owner, location, 'failed')
  await installation.bandama('caps', 'set', '--merchant', String(merchant_id), '--mode', 'live', '--payment', '4000')
  // The limit is in force within a second.
  const code = { amount: '5000', description: '' }
  await waitFor(async () => (await submit(owner, base, 'code', code)).status === 422)
  const refused = await owner.post(`${location}/ask`, {}, location!)
  assert.equal(refused.status, 409)
  assert.match(refused.text.replace(/[\u00a0\u202f]/g, ' '), /Un paiement est maintenant de 4 000 F CFA au plus/)
  assert.equal((await payments()).length, 1)
})

test('a request that lapses says that the payer did not confirm in time', async () => {
  const { base, owner } = await newCounter()
  const number = newPayer().replace(/0000$/, '0003')
  const { location } = await submit(owner, base, 'ask', { amount: '5000', description: '', number })
  await untilSale(owner, location, 'failed')
  assert.match(await mainOf(owner, location), /n’a pas confirmé à temps. Rien n’a été pris/)
})

test('a form that cannot be read says what is wrong, keeps what was typed, and makes nothing', async () => {
  const { base, owner, lines, payments } = await newCounter()
  const refusals = [
    [{ amount: '', number: newPayer() }, 'ask', /Un montant est un nombre entier de francs/],
    [{ amount: '12,5' }, 'code', /Un montant est un nombre entier de francs/],
    [{ amount: '' }, 'link', /Un montant est un nombre entier de francs/],
    [{ amount: '500', number: '07 58 41 20 7' }, 'ask', /Il manque des chiffres : 9 au lieu de 10/],
    [{ amount: '500', number: '' }, 'ask', /Tapez le numéro du client/],
    [{ amount: '500', number: '0258412077' }, 'ask', /Un numéro mobile commence par 01, 05 ou 07/],
    [{ amount: '900000000000' }, 'code', /Un montant est de/],
  ] as const
  for (const [typed, act, why] of refusals) {
    const { status, text } = await submit(owner, base, act, { description: 'Foulard', ...typed })
    assert.equal(status, 422, act)
    assert.ok(why.test(text.replace(/[\u00a0\u202f]/g, ' ')), String(why))
    for (const value of ['Foulard', ...Object.values(typed)].filter(Boolean))
      assert.ok(text.includes(`value="${value}"`), value)
  }
  assert.deepEqual([await lines(), await payments()], [[], []])
})

test('WhatsApp gets a link that is paid once', async () => {
  const { base, owner } = await newCounter()
  const sent = { amount: '7000', description: '', form: await formOf(owner, base) }
  const answers = await Promise.all([1, 2, 3].map(() => submit(owner, base, 'link', sent)))
  const [{ location }] = answers as [(typeof answers)[0]]
  assert.match(location!, /\/links\/lnk_\w+$/)
  assert.deepEqual(new Set(answers.map((answer) => answer.location)).size, 1, 'a form sent twice makes one link')
  const { link } = (await owner.facts(location!)).body as { link: { amount: number; reusable: boolean } }
  assert.deepEqual([link.amount, link.reusable], [7_000, false])
})

test('a shop and each till have a permanent code; with one code its page is a tap away, with several their list', async () => {
  const { base, owner, open } = await newCounter()
  const wayTo = async () =>
    /<a class="button second" href="([^"]+)"><svg[^>]*><use href="#i-shop"/.exec(await mainOf(owner, `${base}/pay`))![1]
  assert.equal(await wayTo(), `${base}/tills`)
  const nameless = await owner.post(`${base}/tills`, { description: '' }, `${base}/tills`)
  assert.equal(nameless.status, 422)
  const { location } = await owner.post(`${base}/tills`, { description: 'Adjamé, caisse 1' }, `${base}/tills`)
  const path = location!.split('?')[0]!
  const { link } = (await owner.facts(path)).body as { link: Record<string, unknown> & { url: string } }
  assert.deepEqual(
    [link.reusable, link.amount, link.expires_at, link.description],
    [true, null, null, 'Adjamé, caisse 1'],
  )
  const shown = await mainOf(owner, path)
  assert.ok(/<svg class="qr"/.test(shown) && shown.includes(`${link.url}/poster`))
  assert.equal(await wayTo(), path)
  await owner.post(`${base}/tills`, { description: 'Cocody' }, `${base}/tills`)
  assert.equal(await wayTo(), `${base}/tills`)
  // A link for one payment, and one for a fixed amount, are no tills.
  await submit(owner, base, 'link', { amount: '500', description: 'Foulard' })
  const { tills } = (await owner.facts(`${base}/tills`)).body as { tills: { description: string }[] }
  assert.deepEqual(
    tills.map(({ description }) => description),
    ['Cocody', 'Adjamé, caisse 1'],
  )
  const viewer = await open(['viewer'])
  assert.equal((await viewer.get(`${base}/tills`)).status, 200)
  assert.equal((await viewer.post(`${base}/tills`, { description: 'Plateau' }, `${base}/tills`)).status, 403)
})

test('only those who may make links ask for a payment, and a sale of another shop or mode is not found', async () => {
  const [shop, other] = [await newCounter(), await newCounter()]
  const { location } = await submit(shop.owner, shop.base, 'code', { amount: '500', description: '' })
  const viewer = await shop.open(['viewer'])
  assert.equal((await viewer.get(`${shop.base}/pay`)).status, 403)
  assert.equal((await viewer.post(`${shop.base}/pay/code`, { amount: '500' }, shop.base)).status, 403)
  assert.equal((await viewer.get(location!)).status, 403)
  const id = location!.split('/').at(-1)
  assert.equal((await other.owner.get(`${other.base}/pay/${id}`)).status, 404)
  assert.equal(
    (await other.owner.post(`${other.base}/pay/${id}/ask`, { number: newPayer() }, `${other.base}/pay`)).status,
    404,
  )
  assert.equal((await shop.owner.get(location!.replace(`/${mode}/`, `/${otherMode}/`))).status, 404)
})
