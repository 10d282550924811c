import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { LOGO_BYTES_MAX } from '../../src/merchants/brand-logo.ts'
import { newPayer } from '../harness/installation.ts'
import { discPng } from '../harness/pictures.ts'
import { waitFor } from '../harness/wait-for.ts'
import { skipWithoutBrowser } from './browser.ts'
import { openPayer, openShop, type Payer, type Shop } from './shop.ts'

/** Everything that the first view may weigh on its way, headers and all requests included. */
const FIRST_VIEW_BYTES = 14 * 1024

const cheapTelephone =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36'

describe('the weight of the hosted page', { skip: skipWithoutBrowser }, () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop[Symbol.asyncDispose]())

  type Weighed = { address: string; type: string; bytes: number }

  /** Returns the bytes on the wire for each request, as the browser's network log counts them. */
  async function weigh({ page, context }: Payer, work: () => Promise<void>): Promise<Weighed[]> {
    const session = await context.newCDPSession(page)
    const asked = new Map<string, { address: string; type: string }>()
    const weighed: Weighed[] = []
    await session.send('Network.enable')
    session.on('Network.responseReceived', ({ requestId, response: { url: address, mimeType: type } }) => {
      asked.set(requestId, { address, type })
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const what = asked.get(requestId)
      if (what?.address.startsWith('http')) weighed.push({ ...what, bytes: encodedDataLength })
    })
    await work()
    await session.detach()
    return weighed
  }

  const sum = (weighed: Weighed[]) => weighed.reduce((total, { bytes }) => total + bytes, 0)

  test('the first view is far below its limit, and loads nothing from other hosts', async (t) => {
    const { url } = await shop.newSession({ description: 'Commande n° 1042, trois manuels de CE2' })
    await using payer = await openPayer(shop, { userAgent: cheapTelephone })
    const weighed = await weigh(payer, async () => void (await payer.page.goto(url, { waitUntil: 'networkidle' })))
    assert.equal(await payer.page.locator('.go-on').count(), 0, 'without what only a desk shows')
    for (const { address, bytes } of weighed) t.diagnostic(`${new URL(address).pathname.slice(0, 8)}… ${bytes} bytes`)
    t.diagnostic(`together ${sum(weighed)} of ${FIRST_VIEW_BYTES} bytes`)
    assert.ok(sum(weighed) > 1_000, 'the requests were weighed')
    assert.ok(sum(weighed) <= FIRST_VIEW_BYTES)
    assert.equal(weighed.length, 2, 'the page and its script')
    const origins = new Set(weighed.map(({ address }) => new URL(address).origin))
    assert.deepEqual([...origins], [new URL(url).origin])

    const again = await weigh(payer, async () => void (await payer.page.goto(url, { waitUntil: 'networkidle' })))
    const script = again.filter(({ type }) => type === 'text/javascript')
    assert.equal(sum(script), 0, 'the script is fetched once')
    assert.ok(sum(again) > 1_000, 'and the page each time')
  })

  test('a logo adds only its own weight to the first view, and only for its merchant', async (t) => {
    const { merchant_id, key } = await shop.installation.newMerchant()
    const body = { amount: 10_000, description: 'Commande n° 1042, trois manuels de CE2' }
    const asked = await shop.installation.ask({ path: '/v1-checkout', key, body })
    const { url } = asked.json() as { url: string }
    const look = async () => {
      await using payer = await openPayer(shop, { userAgent: cheapTelephone })
      const weighed = await weigh(payer, async () => void (await payer.page.goto(url, { waitUntil: 'networkidle' })))
      assert.equal(weighed.length, 2, 'the page and its script: the logo is inside')
      return sum(weighed)
    }
    const plain = await look()
    const folder = await mkdtemp(join(tmpdir(), 'logo-'))
    const file = join(folder, 'logo.png')
    await writeFile(file, discPng(160, 160, LOGO_BYTES_MAX))
    await shop.installation.bandama('merchant', 'brand', '--merchant', String(merchant_id), '--logo', file)
    await rm(folder, { recursive: true })
    const branded = await look()
    t.diagnostic(`${plain} bytes without, ${branded} with the largest logo`)
    assert.ok(plain <= FIRST_VIEW_BYTES && branded > plain)
    // In base64, which packing undoes.
    assert.ok(branded - plain <= 1.1 * LOGO_BYTES_MAX)
  })

  test('the HTML alone is usable: with all other requests blocked the page is styled and pays', async () => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop, {}, /ERR_FAILED/)
    const { page } = payer
    await page.route('**/page/*', (route) => route.abort())
    await page.goto(url)
    const colour = await page.evaluate('getComputedStyle(document.querySelector("form button")).backgroundColor')
    assert.equal(colour, 'rgb(11, 90, 71)')
    // Ends in 0007, which waits for the payer to dial.
    await payer.pays(newPayer().replace(/0000$/, '0007'), 'orange_ci')
    await page.waitForURL(/lang=fr$/)
    assert.match((await payer.situation())!, /^(?:starting|dial)$/)
    await page.getByText('Actualiser maintenant').waitFor()
    assert.equal(
      await page.getByText('Cette page se met à jour toute seule').isVisible(),
      false,
      'which would not be true',
    )
    const lookByHand = async () => {
      await page.click('text=Actualiser maintenant')
      await page.waitForLoadState()
      return (await payer.situation()) === 'receipt'
    }
    await waitFor(lookByHand, { what: 'the receipt, looking by hand' })
  })

  test('a receipt with its code, and each poll of a waiting page, are small too', async (t) => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop)
    await payer.page.goto(url)
    const weighed = await weigh(payer, async () => {
      // Ends in 0007, which takes long enough for a look.
      await payer.pays(newPayer().replace(/0000$/, '0007'))
      await payer.sees('receipt')
    })
    const looks = weighed.filter(({ type }) => type === 'application/json')
    t.diagnostic(`the largest ${Math.max(...weighed.map(({ bytes }) => bytes))} bytes, a look ${looks[0]?.bytes} bytes`)
    assert.ok(looks.length > 0 && looks.every(({ bytes }) => bytes < 2_000))
    for (const { address, bytes } of weighed) assert.ok(bytes <= FIRST_VIEW_BYTES, `${address}: ${bytes}`)
  })
})
