import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { newPayer } from '../harness/installation.ts'
import { skipWithoutBrowser } from './browser.ts'
import { openPayer, openShop, type Payer, type Shop } from './shop.ts'

/** Fails unless the page that is being read stays over two looks: script and server give one word for one state. */
async function staysWhileNothingChanges(page: Page): Promise<void> {
  await page.evaluate('document.querySelector("main").dataset.marked = "yes"')
  await page.waitForResponse((answer) => answer.headers()['content-type']?.startsWith('application/json') === true)
  await page.waitForRequest((request) => request.headers().accept === 'application/json')
  assert.equal(await page.locator('main').getAttribute('data-marked'), 'yes')
}

/** A payer whose number has this end and belongs to no other test. */
const payerEnding = (end: string) => newPayer().replace(/0000$/, end)

describe('paying on the hosted page', { skip: skipWithoutBrowser }, () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop[Symbol.asyncDispose]())

  const receiptText = (payer: Payer) => payer.page.locator('main').innerText()

  test('with script: the operator is proposed, the page follows by itself, and the receipt can be checked', async () => {
    const { url, session_id } = await shop.newSession({ return_url: 'https://boutique.example.ci/merci?commande=1042' })
    await using payer = await openPayer(shop)
    const { page } = payer
    await page.goto(url)
    assert.equal(await page.locator('h1').innerText(), 'À payer à\nBoutique\n10\u202f000 F\u00a0CFA')
    await page.locator('#msisdn').pressSequentially('05 00 00')
    assert.equal(await page.isChecked('input[value="mtn_ci"]'), true)
    // Ends in 0007, which waits for the payer to dial.
    await page.fill('#msisdn', '07.00.00 00-07')
    assert.equal(await page.isChecked('input[value="orange_ci"]'), true)
    let loads = 0
    page.on('load', () => {
      loads += 1
    })
    await page.click('button')
    await payer.sees('dial')
    await payer.sees('receipt')
    assert.equal(loads, 1, 'one page was loaded, and then replaced itself')
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
    assert.equal(await page.title(), 'Payé – TEST, aucun argent réel')

    const back = page.locator('a.button')
    assert.equal(await back.getAttribute('href'), 'https://boutique.example.ci/merci?commande=1042')
    const [payment] = await shop.paymentsOf(session_id)
    assert.equal(payment?.status, 'succeeded')
    const receipt = await receiptText(payer)
    const short = `${payment!.id.slice(6, 11)}-${payment!.id.slice(-5)}`.toUpperCase()
    for (const line of ['Boutique', 'Commande 1042', 'Orange Money', payment!.id, short, '•• •• •• •• 07'])
      assert.ok(receipt.includes(line), line)
    assert.doesNotMatch(receipt, /07\s?00/)

    await page.click('a[href*="/verify"]')
    assert.equal(await page.locator('h1').innerText(), 'Reçu de test\u00a0: aucun argent n’a été payé')
    await page.fill('#receipt', 'bonjour')
    await page.click('main button')
    await page.waitForURL(/receipt=bonjour/)
    assert.equal(await page.locator('h1').innerText(), 'Ce reçu n’est pas authentique')
  })

  test('without script: forms and reloads lead to the same receipt', async () => {
    const { url, session_id } = await shop.newSession()
    await using payer = await openPayer(shop, { javaScriptEnabled: false })
    await payer.page.goto(url)
    await payer.pays(payerEnding('0017'), 'mtn_ci')
    await payer.sees('receipt')
    assert.deepEqual(
      (await shop.paymentsOf(session_id)).map(({ status, operator }) => ({ status, operator })),
      [{ status: 'succeeded', operator: 'mtn_ci' }],
    )
    assert.match(payer.page.url(), /^http:\/\/127\.0\.0\.1:\d+\/pay\/\w+\?lang=fr$/, 'and no number in the address')
  })

  test('without script: a payer can stop the reloads of a waiting page', async () => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop, { javaScriptEnabled: false })
    const { page } = payer
    await page.goto(url)
    // Waits for its payer, who looks at the page for as long as they like.
    await payer.pays(payerEnding('0009'), 'wave_ci')
    await payer.sees('redirect')
    await page.click('noscript a')
    await page.waitForURL(/still=1$/)
    assert.equal(await page.locator('meta[http-equiv]').count(), 0)
    await page.click('noscript a')
    await page.waitForURL(/lang=fr$/)
    assert.equal(await page.locator('meta[http-equiv]').count(), 1)
    const app = await payer.context.newPage()
    await app.goto((await page.locator('a.button').getAttribute('href'))!)
    await app.click('button[value="yes"]')
    await payer.sees('receipt')
  })

  test('without script: without a choice the operator is that of the number', async () => {
    const { url, session_id } = await shop.newSession()
    await using payer = await openPayer(shop, { javaScriptEnabled: false })
    await payer.page.goto(url)
    await payer.pays(payerEnding('0017').replace(/^07/, '01'))
    await payer.sees('receipt')
    assert.equal((await shop.paymentsOf(session_id))[0]?.operator, 'moov_ci')
  })

  test('a chosen operator stays, even if the number has the prefix of another', async () => {
    const { url, session_id } = await shop.newSession()
    await using payer = await openPayer(shop)
    const { page } = payer
    await page.goto(url)
    await page.check('input[value="wave_ci"]')
    await payer.pays(payerEnding('0017'))
    await payer.sees('receipt')
    assert.equal((await shop.paymentsOf(session_id))[0]?.operator, 'wave_ci')
  })

  test('a code to dial is a link', async () => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop)
    await payer.page.goto(url)
    await payer.pays(payerEnding('0007'))
    await payer.sees('dial')
    assert.equal(await payer.page.locator('a.button').getAttribute('href'), 'tel:*144*82%23')
    await payer.sees('receipt')
  })

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without'

    test(`the operator’s app leads back to the page, ${how} script`, async () => {
      const { url } = await shop.newSession()
      await using payer = await openPayer(shop, { javaScriptEnabled })
      const { page } = payer
      await page.goto(url)
      await payer.pays(payerEnding('0009'), 'wave_ci')
      await payer.sees('redirect')
      assert.equal(await page.locator('a.button').innerText(), 'Ouvrir Wave')
      if (javaScriptEnabled) await staysWhileNothingChanges(page)
      await page.click('a.button')
      await payer.sees('simulator')
      assert.match(await page.locator('h1').innerText(), /^L’application de l’opérateur, en test\s+10\s000/)
      const colour = await page.evaluate('getComputedStyle(document.querySelector("button")).backgroundColor')
      assert.equal(colour, 'rgb(11, 90, 71)', 'the clothes of the page')
      await page.click('text=English')
      await page.click('text=Approve')
      await payer.sees('receipt')
    })

    test(`a failure says that nothing was taken, and the next attempt pays, ${how} script`, async () => {
      const { url, session_id } = await shop.newSession()
      await using payer = await openPayer(shop, { javaScriptEnabled })
      await payer.page.goto(url)
      await payer.pays(payerEnding('0001'))
      await payer.sees('failed')
      const text = await payer.page.locator('.note').innerText()
      assert.match(text, /Il n’y a pas assez d’argent sur ce compte\.\s+Rien ne vous a été pris\./)
      await payer.pays(payerEnding('0017'))
      await payer.sees('receipt')
      const payments = await shop.paymentsOf(session_id)
      assert.deepEqual(
        payments.map(({ status }) => status),
        ['failed', 'succeeded'],
      )
    })

    test(`a retry keeps number and operator, ${how} script`, async () => {
      const { url, session_id } = await shop.newSession()
      await using payer = await openPayer(shop, { javaScriptEnabled })
      const { page } = payer
      const number = payerEnding('0001')
      await page.goto(url)
      await payer.pays(number, 'wave_ci')
      await payer.sees('failed')
      // The page tells the end of the number only; the tab in which it was typed knows the rest.
      const kept = javaScriptEnabled ? number.replace(/\d\d\B/g, '$& ') : `•• •• •• •• ${number.slice(-2)}`
      assert.equal(await page.inputValue('#msisdn'), kept)
      assert.equal(await page.isChecked('input[value="wave_ci"]'), true)
      await Promise.all([page.waitForEvent('load'), page.click('form button')])
      const made = await shop.installation.db.sql<{ msisdn: string; operator: string }[]>`
        select msisdn, operator from payments where checkout_session_id = ${session_id}`
      const asked = { msisdn: `+225${number}`, operator: 'wave_ci' }
      assert.deepEqual(
        made.map(({ msisdn, operator }) => ({ msisdn, operator })),
        [asked, asked],
      )
    })

    test(`a wrong number is replaced once its request has ended, never beside it, ${how} script`, async () => {
      const { url, session_id } = await shop.newSession()
      await using payer = await openPayer(shop, { javaScriptEnabled })
      const { page } = payer
      await page.goto(url)
      await payer.pays(payerEnding('0009'), 'wave_ci')
      await payer.sees('redirect')
      const app = await page.locator('a.button').getAttribute('href')
      await page.click('text=Ce n’est pas le bon numéro')
      const noted = page.locator('.note')
      assert.match(await noted.innerText(), /C’est noté[\s\S]*qui finit par 09 doit d’abord expirer ou y être refusée/)
      assert.equal(await page.locator('#msisdn').count(), 0)
      if (javaScriptEnabled) await staysWhileNothingChanges(page)
      assert.equal((await shop.paymentsOf(session_id)).length, 1)
      const telephone = await payer.context.newPage()
      await telephone.goto(app!)
      await telephone.click('button[value="no"]')
      await payer.sees('failed')
      assert.match(await page.locator('main').innerText(), /Tapez maintenant l’autre numéro/)
      assert.equal(await page.inputValue('#msisdn'), '')
      await payer.pays(payerEnding('0017'))
      await payer.sees('receipt')
    })

    test(`a payer shares a receipt, ${how} script`, async () => {
      const { url } = await shop.newSession()
      await using payer = await openPayer(shop, { javaScriptEnabled })
      const { page } = payer
      await page.goto(url)
      await payer.pays(payerEnding('0017'))
      await payer.sees('receipt')
      // The Chromium of a desk has no menu for it.
      assert.equal(await page.locator('[data-share]').isVisible(), false)
      assert.equal(await page.locator('[data-print]').isVisible(), javaScriptEnabled, 'no button that does nothing')
      const [whatsapp, mail] = await page
        .locator('[data-unshared] a')
        .evaluateAll((links) => links.map((link) => String((link as unknown as { href: string }).href)))
      const checked = await page.locator('.proof a').getAttribute('href')
      const message = new URL(whatsapp!).searchParams.get('text')!
      assert.match(
        message,
        /^Reçu de TEST de Bandama, aucun argent réel\s: 10\s000\sF\sCFA pour Boutique, référence \w{5}-\w{5}\./,
      )
      assert.ok(message.endsWith(checked!))
      assert.doesNotMatch(message, /\/pay\//)
      assert.ok(mail!.startsWith('mailto:?subject=') && mail!.endsWith(encodeURIComponent(message)))
    })

    test(`an invalid number is reported at its field and stays as it was typed, ${how} script`, async () => {
      const { url, session_id } = await shop.newSession()
      await using payer = await openPayer(shop, { javaScriptEnabled })
      const { page } = payer
      await page.goto(url)
      await payer.pays('07 00 00', 'wave_ci')
      assert.equal(await payer.situation(), 'ask')
      assert.match(await page.locator('#msisdn-error').innerText(), /dix chiffres/)
      assert.equal(await page.locator('#msisdn').getAttribute('aria-invalid'), 'true')
      assert.equal(await page.inputValue('#msisdn'), '07 00 00')
      assert.equal(await page.isChecked('input[value="wave_ci"]'), true)
      assert.equal(await page.locator(':focus').getAttribute('id'), 'msisdn')
      assert.deepEqual(await shop.paymentsOf(session_id), [])
    })
  }

  test('a telephone with a sharing menu shows it in place of the links', async () => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop)
    const { page } = payer
    await page.addInitScript(
      'navigator.canShare = () => true; navigator.share = (what) => { window.shared = what; return Promise.reject(new Error("closed")) }',
    )
    await page.goto(url)
    await payer.pays(payerEnding('0017'))
    await payer.sees('receipt')
    assert.equal(await page.locator('[data-unshared]').isVisible(), false)
    await page.click('[data-share]')
    await page.waitForFunction('window.shared')
    const shared = (await page.evaluate('window.shared')) as Record<'title' | 'text' | 'url', string>
    assert.equal(shared.title, 'Reçu de test')
    assert.match(shared.text, /^Reçu de TEST de Bandama/)
    assert.equal(shared.url, await page.locator('.proof a').getAttribute('href'))
    // The receipt as a picture goes with it, drawn on the phone.
    const picture =
      'createImageBitmap(shared.files[0]).then(({ width, height }) => [shared.files[0].type, width, height > 400])'
    assert.deepEqual(await page.evaluate(picture), ['image/png', 720, true])
  })

  test('the page says that a request has lapsed', async () => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop)
    await payer.page.goto(url)
    await payer.pays(payerEnding('0003'))
    await payer.sees('failed')
    assert.match(await payer.page.locator('.note').innerText(), /La demande a expiré avant d’être confirmée/)
  })

  test('a browser in English gets English, the switch gives French, and the choice persists', async () => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop, { locale: 'en-GB', javaScriptEnabled: false })
    const { page } = payer
    await page.goto(url)
    assert.equal(await page.locator('form button').innerText(), 'Pay 10\u202f000\u00a0F\u00a0CFA')
    await page.click('text=Français')
    assert.equal(await page.locator('form button').innerText(), 'Payer 10\u202f000\u00a0F\u00a0CFA')
    await payer.pays(payerEnding('0017'))
    await payer.sees('receipt')
    assert.equal(await page.locator('html').getAttribute('lang'), 'fr')
    assert.deepEqual(await payer.context.cookies(), [], 'without a cookie')
  })

  test('a merchant’s words are always text', async () => {
    const description = '<img src=x onerror="document.title=1"></style></title><script>document.title=1</script>'
    const { url } = await shop.newSession({ description })
    await using payer = await openPayer(shop)
    const { page } = payer
    await page.goto(url)
    assert.equal(await page.locator('.for').innerText(), description)
    await payer.pays(payerEnding('0017'))
    await payer.sees('receipt')
    assert.equal(await page.locator('img, main script').count(), 0)
    assert.equal(await page.title(), 'Payé – TEST, aucun argent réel')
  })

  test('a payer can pay with the keyboard alone', async () => {
    const { url } = await shop.newSession()
    await using payer = await openPayer(shop)
    const { keyboard } = payer.page
    await payer.page.goto(url)
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    await keyboard.type(payerEnding('0017'))
    await keyboard.press('Tab')
    // The operator proposed; the arrows choose among them.
    await keyboard.press('ArrowRight')
    assert.equal(await payer.page.locator(':focus').getAttribute('value'), 'mtn_ci')
    const ring = 'getComputedStyle(document.activeElement.nextElementSibling).outlineStyle'
    assert.equal(await payer.page.evaluate(ring), 'solid')
    await keyboard.press('Tab')
    assert.equal(await payer.page.evaluate('document.activeElement.tagName'), 'BUTTON')
    assert.equal(await payer.page.evaluate('getComputedStyle(document.activeElement).outlineWidth'), '3px')
    await keyboard.press('Enter')
    await payer.sees('receipt')
    assert.match(await receiptText(payer), /MTN MoMo/)
  })
})
