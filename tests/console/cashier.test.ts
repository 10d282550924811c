import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newLink } from '../contract/payer.ts'
import { type Browser, openBrowser } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'

// A cashier asks for payments at their tills and sees the payments of the day there, and nothing else of the shop.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

type Home = {
  tills: { link_id: string }[]
  taken_today: { count: number; amount: number }
  payments: { session_id: string; amount: number; last4: string; status: string }[]
}

async function newShop() {
  const { merchant_id } = await installation.newMerchant()
  const { address } = installation.services[0]!
  const open = (name: string, roles: string[]) =>
    openBrowser(installation.db.sql, address, { merchant_id, roles, name })
  const base = `/console/${mode}/${merchant_id}`
  const till = async (name: string) => {
    const words = ['--min', '100', '--max', '50000', '--reusable', '--description', name]
    return (await newLink(installation, merchant_id, ...words)).link_id
  }
  const [owner, serge, awa] = await Promise.all([
    open('Aya Kouassi', ['owner']),
    open('Serge Gnahoré', ['cashier']),
    open('Awa Sanogo', ['cashier']),
  ])
  const [adjame, cocody] = [await till('Adjamé'), await till('Cocody')]
  const place = async (link_id: string, { person_id }: Browser, off = '') => {
    const { status } = await owner.post(
      `${base}/links/${link_id}/cashiers${off}`,
      { person: person_id },
      `${base}/links/${link_id}`,
    )
    assert.equal(status, 303)
  }
  return { merchant_id, base, owner, serge, awa, adjame, cocody, place, open }
}

const homeOf = async (person: Browser, base: string, q = '') =>
  (await person.facts(`${base}${q === '' ? '' : `?q=${q}`}`)).body as unknown as Home

async function sell(person: Browser, base: string, act: string, fields: Record<string, string>) {
  const page = await person.get(`${base}/pay`)
  const [, form = ''] = /name="form" value="([^"]+)"/.exec(page.text)!
  return person.post(`${base}/pay/${act}`, { form, description: '', ...fields }, `${base}/pay`)
}

async function untilPaid(person: Browser, location: string | null) {
  await waitFor(async () => ((await person.facts(location!)).body as { state?: string }).state === 'paid', {
    what: 'the sale to be paid',
    deadline_ms: 60_000,
  })
}

test('a cashier sells at their till and sees its day; another till, balances and sending are closed to them', async () => {
  const { base, owner, serge, awa, adjame, cocody, place } = await newShop()
  assert.deepEqual((await homeOf(serge, base)).tills, [])
  assert.equal((await sell(serge, base, 'code', { amount: '5000' })).status, 422, 'a sale is of a till')
  await Promise.all([place(adjame, serge), place(cocody, awa)])

  const number = `${newPayer().slice(0, -4)}2077`
  const sold = await sell(serge, base, 'ask', { amount: '12500', number })
  assert.equal(sold.status, 303, sold.text)
  await untilPaid(serge, sold.location)
  const elsewhere = await sell(awa, base, 'ask', { amount: '700', number: newPayer() })
  await untilPaid(awa, elsewhere.location)

  const home = await homeOf(serge, base)
  assert.deepEqual(home.taken_today, { count: 1, amount: 12_500 })
  assert.deepEqual(
    home.payments.map(({ amount, last4, status }) => [amount, last4, status]),
    [[12_500, '2077', 'succeeded']],
  )
  assert.equal((await homeOf(serge, base, '2077')).payments.length, 1)
  assert.deepEqual((await homeOf(serge, base, '2078')).payments, [])
  const { text } = await serge.get(base)
  assert.ok(!text.includes(number.slice(1)) && !/Votre argent disponible|Retirer|Envoyer/.test(text))

  // A link that is sent from the till is of the till too.
  const sent = await sell(serge, base, 'link', { amount: '3000' })
  assert.equal((await serge.get(sent.location!)).status, 200)
  assert.equal((await awa.get(sent.location!)).status, 404)
  for (const path of ['/payments', '/links', '/tills', '/send', '/statement', '/settlements', '/team', '/balances']) {
    assert.ok([403, 404].includes((await serge.get(base + path)).status), path)
  }
  for (const path of [`/links/${cocody}`, elsewhere.location!.replace(base, '')]) {
    assert.equal((await serge.get(base + path)).status, 404, path)
  }
  // No form makes a code or a link of no till, whatever it says.
  const forged = { description: 'À moi', amount: '500', reusable: 'yes', until: '' }
  assert.deepEqual(
    [
      (await serge.post(`${base}/links`, forged, `${base}/pay`)).status,
      (await serge.post(`${base}/tills`, forged, `${base}/pay`)).status,
    ],
    [404, 404],
  )
  const once = await sell(serge, base, 'link', { ...forged, until: '2100-01-01' })
  const { link } = (await serge.facts(once.location!)).body as unknown as {
    link: { reusable: boolean; expires_at: string }
  }
  assert.ok(!link.reusable && link.expires_at < '2099', JSON.stringify(link))
  // A form that cannot be read answers with the list for those who may see it.
  assert.equal((await serge.post(`${base}/links`, { description: '' }, `${base}/pay`)).status, 404)
  assert.equal((await serge.post(`${base}/links/${adjame}/close`, {}, `${base}/pay`)).status, 403)

  const { tills } = (await owner.facts(`${base}/tills`)).body as unknown as {
    tills: { description: string; people: string[]; today: number }[]
  }
  assert.deepEqual(
    tills.map(({ description, people, today }) => [description, people, today]),
    [
      ['Cocody', ['Awa Sanogo'], 700],
      ['Adjamé', ['Serge Gnahoré'], 12_500],
    ],
  )
})

test('a cashier of two tills says at which one they sell, and one who is taken off, or gets the role again, sees nothing of it', async () => {
  const { base, merchant_id, owner, serge, awa, adjame, cocody, place } = await newShop()
  await place(adjame, serge)
  await place(cocody, serge)
  assert.equal((await sell(serge, base, 'code', { amount: '500', till: 'lnk_other' })).status, 422)
  const { location } = await sell(serge, base, 'code', { amount: '500', till: cocody })
  const { session } = (await serge.facts(location!)).body as unknown as { session: { link_id: string } }
  assert.equal(session.link_id, cocody)

  await place(cocody, serge, '/off')
  assert.deepEqual(
    (await homeOf(serge, base)).tills.map(({ link_id }) => link_id),
    [adjame],
  )
  assert.equal((await serge.get(location!)).status, 404)
  await installation.db.sql`
    update person_roles set granted_at = clock_now() where person_id = ${serge.person_id} and merchant_id = ${merchant_id}`
  assert.deepEqual((await homeOf(serge, base)).tills, [])
  assert.ok(!(await owner.get(`${base}/links/${adjame}`)).text.includes('Retirer<span class="sr"> Serge'))
  await place(adjame, serge)
  await place(adjame, awa)
  await installation.bandama('link', 'close', '--id', adjame)
  assert.deepEqual((await homeOf(awa, base)).tills, [], 'a closed till is nobody’s')
})
