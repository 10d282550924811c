import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipWithoutBrowser } from './browser.ts'
import { openPayer, openShop } from './shop.ts'

describe('an IP address that calls too often', { skip: skipWithoutBrowser }, () => {
  test('gets a page in its language, and a program gets JSON', async () => {
    await using shop = await openShop({ PAGES_PER_ADDRESS: '4' })
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop, { locale: 'en-GB', javaScriptEnabled: false })
    const { page } = payer
    // The minute may end meanwhile, so the test makes a little more than twice the calls of the rate.
    const answers = []
    for (let calls = 0; calls < 10 && answers.at(-1)?.status() !== 429; calls += 1)
      answers.push((await page.goto(url))!)
    const refused = answers.at(-1)!
    assert.equal(refused.status(), 429)
    assert.equal(await page.locator('h1').innerText(), 'Too many requests at once')
    assert.equal(await payer.situation(), 'rate_limit_exceeded')
    const headers = refused.headers()
    assert.match(headers['retry-after'] ?? '', /^\d+$/)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'/)
    assert.equal(headers['referrer-policy'], 'no-referrer')

    let told = await fetch(url, { headers: { accept: 'application/json' } })
    for (let calls = 1; calls < 10 && told.status !== 429; calls += 1) {
      told = await fetch(url, { headers: { accept: 'application/json' } })
    }
    assert.equal(told.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(((await told.json()) as { error: { code: string } }).error.code, 'rate_limit_exceeded')
  })
})
