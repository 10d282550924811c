import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkRefusal } from './answers.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

/** As Chromium asks for a page. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'

const open = (language: string, path = '/') =>
  installation.ask({ path, headers: { Accept: browser, 'Accept-Language': language } })

test('a browser that opens the root address learns in its language what the service is and where its documentation is', async () => {
  const french = await open('fr-CI,fr;q=0.9,en;q=0.8')
  assert.equal(french.status, 200)
  assert.match(String(french.headers['content-type']), /^text\/html/)
  assert.match(french.text, /<html lang="fr">/)
  assert.match(french.text, /Avec Bandama, un commerçant reçoit et envoie/)
  const english = await open('en-GB,en;q=0.9')
  assert.match(english.text, /<html lang="en">/)
  assert.match(english.text, /With Bandama, a merchant receives and sends/)
  assert.match((await open('fr', '/?lang=en')).text, /<html lang="en">/)

  const links = [...french.text.matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(([, path]) => path!)
  for (const path of ['/docs/fr', '/openapi.json', '/verify?lang=fr']) assert.ok(links.includes(path), path)
  for (const path of links) assert.equal((await open('fr', path)).status, 200, path)
})

test('the page has the headers of every answer and every page, and loads nothing from other hosts', async () => {
  const page = await open('fr')
  assert.match(String(page.headers['service-request-id']), /^[0-9a-f-]{36}$/)
  assert.equal(page.headers['legacy-request-id'], page.headers['service-request-id'])
  assert.match(
    String(page.headers['content-security-policy']),
    /^default-src 'none'; script-src 'self'; style-src 'sha256-/,
  )
  assert.equal(page.headers['x-frame-options'], 'DENY')
  assert.equal(page.headers['referrer-policy'], 'no-referrer')
  assert.match(String(page.headers.vary), /Accept-Language/)
  assert.doesNotMatch(page.text, /(?:src|href)="(?:https?:)?\/\//)
})

test('the root address refuses a program like every unknown address, and tells it where the routes are', async () => {
  for (const accept of [undefined, '*/*', 'application/json']) {
    const answer = await installation.ask({ path: '/', headers: { Accept: accept } })
    checkRefusal(answer, 404, 'resource_not_found')
    const { message } = (answer.json() as { error: { message: string } }).error
    const home = installation.services[0]!.address
    assert.ok(message.includes(`${home}/docs`) && message.includes(`${home}/openapi.json`), message)
  }
  checkRefusal(await open('fr', '/nowhere'), 404, 'resource_not_found')
})

test('the root address refuses other methods like every known address, and names its own', async () => {
  for (const method of ['DELETE', 'POST', 'OPTIONS', 'PUT']) {
    const answer = await installation.ask({ path: '/?lang=fr', method, headers: { Accept: browser } })
    checkRefusal(answer, 405, 'method_not_allowed')
    assert.equal(answer.headers.allow, 'GET, HEAD')
  }
})
