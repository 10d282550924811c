import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Browser, openBrowser } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'

// Pages that renew themselves: the main part alone when it changed, otherwise nothing.

/** The most bytes of a renewal on the wire, with its headers. */
const RENEWAL = 4_000

let installation: Installation
let base: string
let owner: Browser
let key: string
before(async () => {
  installation = await openInstallation()
  const merchant = await installation.newMerchant()
  const { merchant_id } = merchant
  base = `/console/${mode}/${merchant_id}`
  owner = await openBrowser(installation.db.sql, installation.services[0]!.address, { merchant_id, roles: ['owner'] })
  key = (await merchant.newKey(mode, 'collect')).key
  for (let nth = 0; nth < 50; nth += 1) {
    const about = { merchant_reference: `CMD-${1_000 + nth}`, description: `Pagne wax, ${nth} yards` }
    const asked = { amount: 5_000 + nth, counterparty: { msisdn: newPayer() }, simulate: 'succeed', ...about }
    assert.equal((await installation.pay(key, asked)).status, 201)
  }
})
after(() => installation[Symbol.asyncDispose]())

/** Asks for a page as its script does. */
async function renew(path: string, mark: string) {
  const { address } = installation.services[0]!
  const headers = { cookie: owner.cookie, accept: '*/*', 'accept-encoding': 'br', 'x-look-again': mark }
  const answer = await fetch(new URL(path, address), { headers, redirect: 'error' })
  const text = await answer.text()
  const lines = [...answer.headers].map(([name, value]) => name.length + value.length + 4)
  const bytes = Number(answer.headers.get('content-length') ?? 0) + lines.reduce((sum, one) => sum + one, 0)
  return { status: answer.status, text, bytes }
}

/** The nonce of a form of a sale. */
const formOf = async () => /name="form" value="([^"]+)"/.exec((await owner.get(`${base}/pay`)).text)![1]!

const markOf = (text: string) => /<main[^>]* data-moving="([^"]*)"/.exec(text)?.[1] ?? ''

test('an unchanged page answers 204, a changed one its main part, each within 4 kB', async (t) => {
  const form = await formOf()
  const wanted = { form, amount: '12 500', description: 'Pagne' }
  const { location: sale } = await owner.post(`${base}/pay/code`, wanted, `${base}/pay`)
  const { location } = await owner.post(
    `${base}/pay/link`,
    { form, amount: '7 000', description: 'Foulard' },
    `${base}/pay`,
  )
  const pages = { home: base, payments: `${base}/payments`, sale: sale!, link: location!.split('?')[0]! }
  for (const [name, path] of Object.entries(pages)) {
    const whole = await owner.get(path)
    const mark = markOf(whole.text)
    assert.notEqual(mark, '', `${name} renews itself`)
    const changed = await renew(path, 'another')
    assert.equal(changed.status, 200)
    assert.ok(changed.text.startsWith('<title>') && changed.text.includes('<main id="main"'), name)
    assert.doesNotMatch(changed.text, /<nav class="menu"|<header class="top"/, name)
    t.diagnostic(`${name}: ${changed.bytes} bytes`)
    assert.ok(changed.bytes > 1_000 && changed.bytes <= RENEWAL, `${name}: ${changed.bytes} bytes`)
    // A page with a fresh payment tells its age in steps of five seconds.
    const same = await renew(path, markOf(changed.text))
    if (same.status === 200) assert.notEqual(markOf(same.text), markOf(changed.text), name)
    else assert.deepEqual([same.status, same.text], [204, ''], name)
    assert.ok(same.status === 200 || same.bytes < 1_000, `${name}: ${same.bytes} bytes`)
  }
  const still = markOf((await owner.get(pages.link)).text)
  assert.equal((await renew(pages.link, still)).status, 204)
})

test('a new payment changes the first page and the list, and each brings the new state', async () => {
  for (const path of [base, `${base}/payments`]) {
    const mark = markOf((await owner.get(path)).text)
    const amount = path === base ? 7_777 : 8_888
    const asked = { amount, counterparty: { msisdn: newPayer() }, simulate: 'succeed' }
    assert.equal((await installation.pay(key, asked)).status, 201)
    const { status, text } = await renew(path, mark)
    assert.equal(status, 200)
    assert.ok(text.includes(path === base ? '7\u202f777' : '8\u202f888'), path)
  }
})

test('a page on which nothing can move any more does not renew itself', async () => {
  const wanted = { form: await formOf(), amount: '7 000', description: '' }
  const { location } = await owner.post(`${base}/pay/link`, wanted, `${base}/pay`)
  const path = location!.split('?')[0]!
  assert.equal((await owner.post(`${path}/close`, {}, path)).status, 303)
  assert.equal(markOf((await owner.get(path)).text), '')
  assert.doesNotMatch((await renew(path, 'another')).text, /data-moving/)
  const [paid] = ((await owner.facts(`${base}/payments?status=succeeded`)).body as { operations: { id: string }[] })
    .operations
  assert.equal(markOf((await owner.get(`${base}/payments/${paid!.id}`)).text), '')
})

test('a refused or foreign page is answered whole, with its status', async () => {
  assert.equal((await renew(`${base}/pay/cs_01k5v0e9t8fq3a7mzd4n2xw6rb`, 'another')).status, 404)
})
