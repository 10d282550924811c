import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { payOn } from '../contract/payer.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { addEndpoint } from '../harness/merchant.ts'
import { waitFor } from '../harness/wait-for.ts'
import { openShop, type Shop } from './open-shop.ts'

// WooCommerce is in no registry. With its folder in WOOCOMMERCE, as shops have it, these tests meet the real one.
const woocommerce = process.env.WOOCOMMERCE ?? ''
const SKIP = woocommerce === '' ? 'WOOCOMMERCE names no folder' : false
const ORDERS = Number(process.env.SHOP_ORDERS ?? 500)
/** The time in which a shop knows of a payment. */
const KNOWN_WITHIN_MS = 300_000
const PRICE = 12_500
const WITHOUT_MONEY = '0700000001'

let installation: Installation
let shop: Shop
let line: Awaited<ReturnType<typeof openLine>>
before(async () => {
  if (SKIP !== false) return
  installation = await openInstallation()
  const { merchant_id, key } = await installation.newMerchant()
  const { packages } = (await installation.ask({ path: '/sdk' })).json() as {
    packages: { name: string; url: string }[]
  }
  const { url } = packages.find(({ name }) => name === 'woocommerce')!
  shop = await openShop({ woocommerce, zip: Buffer.from(await (await fetch(url)).arrayBuffer()) })
  line = await openLine(() => shop.address)
  const { secret_key } = installation
  const secret = await addEndpoint(installation.db.sql, { merchant_id }, { url: line.url, secret_key })
  const { form, available } = await shop.run('set', { key, secret })
  assert.equal(available, true)
  assert.ok(!form.includes(key) && !form.includes(secret), 'the form shows a secret')
})
after(async () => {
  await shop?.[Symbol.asyncDispose]()
  await line?.[Symbol.asyncDispose]()
  await installation?.[Symbol.asyncDispose]()
})

/** Stands between the service and the shop: takes every third webhook, and passes on the others. */
async function openLine(shopAt: () => string) {
  const port = await freePort()
  const counts = { came: 0, lost: 0, refused: 0 }
  const pass = async (request: IncomingMessage, body: Buffer) => {
    const headers = Object.entries(request.headers).filter(([name]) => /signature|event-id|content-type/.test(name))
    const path = counts.came % 2 === 0 ? '/?rest_route=/bandama/v1/webhook' : '/?wc-api=bandama'
    const wanted = {
      method: 'POST',
      body: new Uint8Array(body),
      headers: Object.fromEntries(headers) as Record<string, string>,
    }
    const answer = await fetch(shopAt() + path, wanted)
    if (answer.status > 299) counts.refused += 1
  }
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request)
      counts.came += 1
      if (counts.came % 3 === 0) counts.lost += 1
      else await pass(request, body)
      response.writeHead(204).end()
    })().catch(() => response.writeHead(500).end())
  }).listen(port, '127.0.0.1')
  return {
    url: `http://127.0.0.1:${port}/hook`,
    counts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Order = { id: number; url: string }
type State = { status: string; payment: string; reduced: boolean }
const pathOf = ({ url }: Order) => new URL(url).pathname

for (const where of ['posts', 'tables']) {
  test(`of ${ORDERS} orders in ${where}, with every third webhook lost and all tabs closed, each that is paid is marked once and no other`, {
    skip: SKIP,
    timeout: 1_200_000,
  }, async (t) => {
    if (where === 'tables') await shop.run('orders_in_tables')
    const product = await shop.run('product', PRICE, ORDERS * 2)
    const orders: Order[] = await shop.run('orders', product, ORDERS)
    assert.equal(new Set(orders.map(({ url }) => url)).size, ORDERS)
    const unpaid = new Set(orders.filter((_, at) => at % 10 === 9).map(({ id }) => id))
    for (const order of orders)
      await payOn(installation, pathOf(order), unpaid.has(order.id) ? WITHOUT_MONEY : newPayer())
    const began = performance.now()
    const count = async () => {
      await shop.cron()
      const states: Record<string, State> = await shop.run(
        'states',
        orders.map(({ id }) => id),
      )
      const marked = (id: number) => states[id]!.status === 'processing' && states[id]!.payment.startsWith('txn_')
      return {
        paid_unmarked: orders.filter(({ id }) => !unpaid.has(id) && !marked(id)).length,
        marked_unpaid: orders.filter(({ id }) => unpaid.has(id) && states[id]!.status !== 'pending').length,
      }
    }
    let last = await count()
    while (last.paid_unmarked > 0 && performance.now() - began < KNOWN_WITHIN_MS) last = await count()
    t.diagnostic(
      `${where}: ${JSON.stringify({ ...last, ...line.counts, seconds: Math.round((performance.now() - began) / 1_000) })}`,
    )
    assert.deepEqual(last, { paid_unmarked: 0, marked_unpaid: 0 })
    assert.equal(line.counts.refused, 0)
    // A second look changes nothing more.
    await shop.run('follow')
    assert.equal(await shop.run('stock', product), ORDERS * 2 - (ORDERS - unpaid.size))
    assert.deepEqual(shop.complaints(), [])
  })
}

test('two tabs and a second click lead to one page, and an order of another amount to a new one', {
  skip: SKIP,
}, async () => {
  const product = await shop.run('product', PRICE, 10)
  const [order]: Order[] = await shop.run('orders', product, 1)
  const again = await Promise.all([1, 2, 3].map(() => shop.run('pay_again', order!.id)))
  assert.deepEqual(new Set(again), new Set([order!.url]))
  await shop.run('change', order!.id, { total: '13000' })
  assert.notEqual(await shop.run('pay_again', order!.id), order!.url)
  await shop.run('decimals', 2)
  await shop.run('change', order!.id, { total: '13000.50' })
  assert.match(await shop.run('pay_again', order!.id), /whole amount in CFA francs/)
  await shop.run('decimals', 0)
})

/** Waits until the shop knows what became of a page, without webhooks. */
async function settled(order: Order, status: string) {
  await waitFor(
    async () => {
      await shop.run('follow')
      const states: Record<string, State> = await shop.run('states', [order.id])
      return states[order.id]!.status === status
    },
    { what: `order ${order.id} to be ${status}`, deadline_ms: 60_000 },
  )
}

test('money for a cancelled order, or of another amount, waits for a person', {
  skip: SKIP,
  timeout: 300_000,
}, async () => {
  const product = await shop.run('product', PRICE, 10)
  const [late, other]: Order[] = await shop.run('orders', product, 2)
  await shop.run('change', late!.id, { status: 'cancelled' })
  await shop.run('change', other!.id, { total: '12000' })
  for (const [order, note] of [
    [late!, /came after the order was cancelled/],
    [other!, /does not match the order \(amount\)/],
  ] as const) {
    await payOn(installation, pathOf(order), newPayer())
    await settled(order, 'on-hold')
    const notes: string[] = await shop.run('notes', order.id)
    assert.equal(notes.filter((text) => note.test(text)).length, 1)
  }
})

test('an order waits as long as money may come, and is cancelled by the shop after that', {
  skip: SKIP,
  timeout: 300_000,
}, async () => {
  const product = await shop.run('product', PRICE, 10)
  const [order]: Order[] = await shop.run('orders', product, 1)
  assert.equal(await shop.run('may_cancel', order!.id), false)
  await shop.run('page_ends', order!.id)
  await shop.run('follow')
  assert.equal(await shop.run('may_cancel', order!.id), true)
})
