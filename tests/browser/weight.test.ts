import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newPayer } from '../contract/installation.ts'
import { skipWithoutBrowser } from './browser.ts'
import { openPayer, openShop, type Payer, type Shop } from './shop.ts'

/** Everything that the first view may weigh on its way, headers and all requests included. */
const FIRST_VIEW_BYTES = 14 * 1024

describe('the weight of the hosted page', { skip: skipWithoutBrowser }, () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop[Symbol.asyncDispose]())

  type Weighed = { address: string; bytes: number }

  /** What came over the wire, request by request, as the browser's own network log counts it. */
  async function weigh({ page, context }: Payer, work: () => Promise<void>): Promise<Weighed[]> {
    const session = await context.newCDPSession(page)
    const addresses = new Map<string, string>()
    const weighed: Weighed[] = []
    await session.send('Network.enable')
    session.on('Network.requestWillBeSent', ({ requestId, request }) => addresses.set(requestId, request.url))
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      weighed.push({ address: addresses.get(requestId)!, bytes: encodedDataLength })
    })
    await work()
    await session.detach()
    return weighed.filter(({ address }) => address.startsWith('http'))
  }

  const sum = (weighed: Weighed[]) => weighed.reduce((total, { bytes }) => total + bytes, 0)

  test('the first view is far below its bound, and asks nobody else for anything', async (t) => {
    const { url } = await shop.newSession({ description: 'Commande n° 1042, trois manuels de CE2' })
    await using payer = await openPayer(shop)
    const weighed = await weigh(payer, async () => void (await payer.page.goto(url, { waitUntil: 'networkidle' })))
    for (const { address, bytes } of weighed) t.diagnostic(`${new URL(address).pathname.slice(0, 8)}… ${bytes} bytes`)
    t.diagnostic(`together ${sum(weighed)} of ${FIRST_VIEW_BYTES} bytes`)
    assert.ok(sum(weighed) > 1_000, 'the requests were weighed')
    assert.ok(sum(weighed) <= FIRST_VIEW_BYTES)
    assert.equal(weighed.length, 2, 'the page and its script')
    const origins = new Set(weighed.map(({ address }) => new URL(address).origin))
    assert.deepEqual([...origins], [new URL(url).origin])
  })

  test('one answer is a page that can be used: with everything else cut off it is styled and pays', async () => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop, {}, /ERR_FAILED/)
    const { page } = payer
    await page.route('**/page/*', (route) => route.abort())
    await page.goto(url)
    const colour = await page.evaluate('getComputedStyle(document.querySelector("form button")).backgroundColor')
    assert.equal(colour, 'rgb(11, 90, 71)')
    await payer.pays(newPayer(), 'orange_ci')
    await payer.sees('approve_on_phone')
  })

  test('a receipt with its code, and a look while waiting, are small too', async (t) => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop)
    await payer.page.goto(url)
    const weighed = await weigh(payer, async () => {
      await payer.pays(newPayer())
      await payer.sees('receipt')
    })
    const looks = weighed.filter(({ bytes }) => bytes < 2_500)
    t.diagnostic(`the largest ${Math.max(...weighed.map(({ bytes }) => bytes))} bytes, a look ${looks[0]?.bytes} bytes`)
    assert.ok(looks.length > 0)
    for (const { address, bytes } of weighed) assert.ok(bytes <= FIRST_VIEW_BYTES, `${address}: ${bytes}`)
  })
})
