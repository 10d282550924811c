import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { makePackages } from '../../../src/sdk/make-packages.ts'
import { json, openScripted, type Step } from '../scripted-server.ts'

// The decisions of the plugin for WooCommerce. tests/shop meets a real shop.

const double = fileURLToPath(new URL('shop.php', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'bandama-plugin-'))
after(() => rm(folder, { recursive: true, force: true }))

/** Unpacks the plugin of an instance, and returns its folder. */
async function unpack(origin: string, brand_name = 'Bandama'): Promise<string> {
  const { listed, files } = await makePackages({ origin, brand_name })
  const { url, package: name } = listed.find((one) => one.name === 'woocommerce')!
  const zip = join(folder, 'plugin.zip')
  await writeFile(zip, files.find((file) => url.endsWith(file.name))!.bytes)
  const { status, stderr } = spawnSync('python3', ['-m', 'zipfile', '-e', zip, folder])
  assert.equal(status, 0, String(stderr))
  return join(folder, name)
}

type Became = {
  status: string | null
  completed: number
  notes: number
  mails: number
  page: string | null
  addresses: string[]
  texts: string[]
  planned: string[][]
  given_back: [amount: string, pays: boolean, restocks: boolean][]
  shown: { settings: Record<string, { value: string }> } | null
}

let steps: Step[] = []
const server = await openScripted((response) => (steps.length > 1 ? steps.shift() : steps[0])!(response))
after(() => server[Symbol.asyncDispose]())
const plugin = await unpack(server.url)

/** Does in the double of a shop what is asked, while the service answers step by step. */
async function shop(asked: object, ...answers: Step[]) {
  steps = answers
  const before = server.got.length
  const child = spawn('php', ['-d', 'display_errors=stderr', double, plugin], { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (complaint += text))
  child.stdin.end(JSON.stringify(asked))
  await once(child, 'close')
  assert.equal(complaint, '')
  return { became: JSON.parse(said) as Became, got: server.got.slice(before) }
}

const AMOUNT = 12_500
const row = {
  ...{ session_id: 'cs_1', order_id: 7, attempt: 1, amount: AMOUNT, livemode: 0, url: 'https://pay.example.ci/pay/1' },
  ...{ expires_at: '2099-01-01 00:00:00' },
}
const paid = {
  ...{ id: 'txn_1', object: 'payment', status: 'succeeded', amount: AMOUNT, currency: 'XOF', operator: 'wave_ci' },
  ...{ livemode: false, checkout_session_id: 'cs_1', failure_message: null },
}
const event = (type: string, more: object = {}) => ({
  ...{ id: `evt_${type}`, object: 'event', type },
  data: { id: 'txn_1', checkout_session_id: 'cs_1', ...more },
})
const succeeded = [event('payment.succeeded'), event('payment.succeeded')]

const cases: [string, { order: object | null; payment?: object; events?: object[] }, Partial<Became>][] = [
  ['a paid order is marked once', { order: {} }, { status: 'processing', completed: 1, mails: 0, page: 'paid' }],
  ['a total with zeros is the same', { order: { total: '12500.00' } }, { completed: 1, page: 'paid' }],
  ['a failed order is paid late', { order: { status: 'failed' } }, { completed: 1 }],
  [
    'less money',
    { order: {}, payment: { amount: 12_499 } },
    { status: 'on-hold', completed: 0, mails: 1, page: 'held' },
  ],
  ['another total', { order: { total: '12600' } }, { status: 'on-hold', completed: 0, mails: 1 }],
  ['cents', { order: { total: '12500.50' } }, { status: 'on-hold', completed: 0 }],
  ['another currency', { order: { currency: 'EUR' } }, { status: 'on-hold', completed: 0 }],
  ['the other mode', { order: {}, payment: { livemode: true } }, { status: 'on-hold', completed: 0 }],
  ['a cancelled order', { order: { status: 'cancelled' } }, { status: 'on-hold', completed: 0, mails: 1 }],
  ['an order paid otherwise', { order: { status: 'completed' } }, { status: 'completed', completed: 0, mails: 1 }],
  ['an order that is gone', { order: null }, { completed: 0, mails: 1, page: 'held' }],
  [
    'a payment that waits',
    { order: {}, payment: { status: 'pending' } },
    { status: 'pending', completed: 0, page: 'open' },
  ],
  [
    'a state of a later version',
    { order: {}, payment: { status: 'new' } },
    { status: 'pending', completed: 0, page: 'open' },
  ],
  [
    'a payment that failed',
    { order: {}, payment: { status: 'failed' } },
    { status: 'pending', completed: 0, notes: 1 },
  ],
  [
    'an event of another page',
    { order: {}, events: [event('payment.succeeded', { checkout_session_id: 'cs_2' })] },
    { status: 'pending', completed: 0 },
  ],
  [
    'the event of the page',
    { order: {}, events: [{ type: 'checkout_session.paid', data: { id: 'cs_1', payment_id: 'txn_1' } }] },
    { completed: 1, page: 'paid' },
  ],
]
for (const [name, { order, payment = {}, events = succeeded }, wanted] of cases) {
  test(`a shop reads the payment again: ${name}`, async () => {
    const { became } = await shop({ order, row, events }, json(200, { ...paid, ...payment }))
    for (const [fact, value] of Object.entries(wanted)) assert.equal(became[fact as keyof Became], value, fact)
  })
}

test('one attempt has one key and one page, a new total another, and no franc is a float', async () => {
  const session = (id: string) =>
    json(201, {
      ...{ id, object: 'checkout_session', status: 'open', url: `https://pay.example.ci/${id}`, livemode: false },
      expires_at: '2099-01-01T00:00:00Z',
    })
  const pay = ['12500', '12500.00', '13000', '13000.25', '0']
  const { became, got } = await shop({ order: {}, pay }, session('cs_1'), session('cs_2'))
  const whole = 'This means of payment needs a whole amount in CFA francs.'
  const [one, two] = ['https://pay.example.ci/cs_1', 'https://pay.example.ci/cs_2']
  assert.deepEqual(became.addresses, [one, one, two, whole, whole])
  assert.match(got[0]!.key!, /^wc-[0-9a-f]{8}-7-1-12500-[0-9a-f]{8}$/)
  assert.match(got[1]!.key!, /^wc-[0-9a-f]{8}-7-2-13000-[0-9a-f]{8}$/)
  assert.deepEqual(
    got.map(({ body }) => JSON.parse(body).amount),
    [12_500, 13_000],
  )
})

test('a refund is noted once, by its new part, moves no money and no stock, and never exceeds the order', async () => {
  const order = { status: 'processing', transaction_id: 'txn_1' }
  const done = { ...row, status: 'paid', payment_id: 'txn_1' }
  const refunded = [event('payment.partially_refunded'), event('payment.partially_refunded')]
  const back = (amount_refunded: number) => json(200, { ...paid, status: 'partially_refunded', amount_refunded })
  const noted = async (facts: object, ...sums: number[]) =>
    (await shop({ order: { ...order, ...facts }, row: done, events: refunded }, ...sums.map(back))).became.given_back
  assert.deepEqual(await noted({}, 5_000, 5_000), [['5000', false, false]])
  assert.deepEqual(await noted({}, 5_000, 7_500), [
    ['5000', false, false],
    ['2500', false, false],
  ])
  assert.deepEqual(await noted({ refunds: [12_500] }, AMOUNT, AMOUNT), [])
  assert.deepEqual(await noted({ transaction_id: 'txn_0' }, 5_000, 5_000), [])
})

test('a payment that could not be read is looked at again later, once, and none that this key never had', async () => {
  const done = { ...row, status: 'paid', payment_id: 'txn_1' }
  const asked = { order: {}, row: done, settle: ['txn_1', 'txn_1'] }
  const failed = json(503, { error: { code: 'payment_failed', message: 'Later.' } })
  assert.deepEqual((await shop(asked, failed)).became.planned, [['txn_1']])
  const unknown = json(404, { error: { code: 'payment_not_found', message: 'None.' } })
  assert.deepEqual((await shop(asked, unknown)).became.planned, [])
})

test('the button pays only in test mode for those who may, and the shop’s own REST API gives no secret', async () => {
  const check = { check: true, order: null, row }
  const { became, got } = await shop(check, json(201, paid), json(200, paid))
  assert.deepEqual(became.addresses, ['done', 'The payment succeeded and its webhook came.'])
  assert.equal(JSON.parse(got[0]!.body).amount, 100)
  const stranger = await shop({ ...check, may: false }, json(500, {}))
  assert.deepEqual([stranger.became.addresses, stranger.got.length], [['refused', ''], 0])
  const live = { woocommerce_bandama_settings: { key: 'bdm_sk_live_abcdef_ghijkl', secret: 'whsec_0123456789' } }
  const real = await shop({ ...check, options: live }, json(500, {}))
  assert.deepEqual([real.became.addresses, real.got.length], [['done', 'The trial needs a test key.'], 0])
  const settings = { title: { value: 'Mobile money' }, key: { value: 'bdm_sk_live_x' }, secret: { value: 'whsec_x' } }
  const { shown } = (await shop({ order: null, row, settings }, json(500, {}))).became
  assert.deepEqual(shown!.settings, { title: { value: 'Mobile money' }, key: { value: '' }, secret: { value: '' } })
})

test('the plugin says its brand and its shop’s language, and no brand ends its comment', async () => {
  const branded = await unpack('https://pay.example.ci', 'Banque */ exit; /*\n Test')
  const main = await readFile(join(branded, 'bandama.php'), 'utf8')
  assert.match(main, /^ \* Plugin Name: Banque {2}\/ exit; \/ {3}Test for WooCommerce$/m)
  for (const path of ['bandama.php', 'includes/home.php', 'lib/bandama.php', 'uninstall.php', 'includes/blocks.php'])
    assert.equal(spawnSync('php', ['-l', join(branded, path)]).status, 0, path)
  const french = { options: { locale: 'fr_FR' }, order: { status: 'cancelled' }, row, events: succeeded }
  const { became } = await shop(french, json(200, paid))
  assert.match(became.texts[0]!, /arrivé après l’annulation/)
})
