import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, newAddress, openInstallation } from '../harness/installation.ts'

// Calls of the console beyond the limit of their address, which no screen answers.

const LIMIT = 3

let installation: Installation
before(async () => {
  installation = await openInstallation({
    processes: [['--only', 'api']],
    env: { RATE_PER_ADDRESS: String(LIMIT) },
  })
})
after(() => installation[Symbol.asyncDispose]())

test('a person with too many calls reads a page in their language, and a program JSON', async () => {
  const from = newAddress()
  const ask = (path: string, accept: string) =>
    installation.ask({
      method: 'GET',
      path,
      headers: { Accept: accept, 'Accept-Language': 'fr', 'X-Forwarded-For': from },
    })
  for (let nth = 0; nth < LIMIT; nth += 1) assert.equal((await ask('/desk/sign-in', 'text/html')).status, 200)
  for (const [path, words] of [
    ['/desk/sign-in', /<h1>Trop de pages à la fois<\/h1>/],
    ['/console/test/1/payments?lang=en', /<h1>Too many pages at once<\/h1>/],
  ] as const) {
    const page = await ask(path, 'text/html')
    assert.equal(page.status, 429, path)
    assert.match(String(page.headers['content-type']), /^text\/html/, path)
    assert.match(page.text, words)
    assert.ok(Number(page.headers['retry-after']) >= 1, path)
    const facts = await ask(path, 'application/json')
    assert.deepEqual(
      [facts.status, (facts.json() as { error: { code: string } }).error.code],
      [429, 'rate_limit_exceeded'],
    )
  }
})
