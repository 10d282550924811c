import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { clientCodes } from '../../src/docs/error-words.ts'
import { errorMessages } from '../../src/values/error-codes.ts'
import { ask } from '../contract/ask.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'

// The documentation that the service shows: every page, as a reader and a program get it.

let installation: Installation
let pages: Map<string, string>
before(async () => {
  installation = await openInstallation()
  pages = await crawl(read)
})
after(() => installation[Symbol.asyncDispose]())

const read = (path: string, headers: Record<string, string> = {}) =>
  installation.ask({ path, headers: { Accept: 'text/html', ...headers } })

/** Opens every page to which the first ones lead, by their links. A page that does not answer is empty. */
async function crawl(
  readPage: (path: string) => Promise<{ status: number; text: string }>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const open = ['/docs/fr', '/docs/en', '/docs/fr/recherche', '/docs/en/search']
  for (let address = open.pop(); address !== undefined; address = open.pop()) {
    if (found.has(address)) continue
    const { status, text } = await readPage(address)
    if (status !== 200) continue
    found.set(address, text)
    for (const path of linksOf(text).map((link) => link.split('#')[0]!))
      if (/^\/docs\/(?:fr|en)(?:\/|$)/.test(path) && !path.endsWith('.md')) open.push(path)
  }
  return found
}

/** The links of pages that lead nowhere, or to a heading that is not there. */
async function brokenLinks(
  crawled: ReadonlyMap<string, string>,
  readPage: (path: string) => Promise<{ status: number }>,
): Promise<string[]> {
  const others = new Map<string, number>()
  const broken: string[] = []
  for (const [address, html] of crawled) {
    for (const link of new Set(linksOf(html))) {
      if (/^(?:https?:|mailto:|data:)/.test(link)) continue
      const [path = '', anchor] = link.split('#')
      const target = crawled.get(path === '' ? address : path)
      if (target === undefined) {
        if (!others.has(path)) others.set(path, (await readPage(path)).status)
        if (others.get(path) !== 200) broken.push(`${address}: ${link}`)
      } else if (anchor !== undefined && !target.includes(` id="${decodeURIComponent(anchor)}"`))
        broken.push(`${address}: ${link} (no such heading)`)
    }
  }
  return broken
}
const linksOf = (html: string) =>
  [...html.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))
const titleOf = (html: string) => /<title>([^<]*)<\/title>/.exec(html)?.[1]

test('every page has its counterpart in the other language', () => {
  assert.ok(pages.size > 250, `${pages.size} pages`)
  for (const [address, html] of pages) {
    const other = /<link rel="alternate" hreflang="\w\w" href="([^"]+)"/.exec(html)?.[1] ?? ''
    assert.notEqual(other.slice(0, 8), address.slice(0, 8), address)
    assert.ok(pages.has(other), `${address}: ${other}`)
    // A page in English alone says so in French, and marks its text.
    if (address.startsWith('/docs/fr') && html.includes('<article lang="en">'))
      assert.match(html, /Cette page n’existe qu’en anglais/, address)
  }
})

test('every link of every page leads somewhere, to its heading too', async () => {
  assert.deepEqual(await brokenLinks(pages, read), [])
})

test('without the extensions, and so without packages, no page leads to what is not served', async () => {
  const plain = await installation.start({ args: ['--only', 'api'], env: { EXTENSIONS: 'off' } })
  const readPlain = (path: string) => ask(plain.address, { path, headers: { Accept: 'text/html' } })
  const crawled = await crawl(readPlain)
  assert.ok(crawled.size > 150, `${crawled.size} pages`)
  assert.deepEqual(await brokenLinks(crawled, readPlain), [])
  assert.ok(!crawled.has('/docs/en/feed') && !crawled.has('/docs/en/errors/cursor_expired'))
  const { text } = await readPlain('/docs/en.md')
  assert.doesNotMatch(text, /\]\(feed\.md\)|\/sdk/)
  assert.doesNotMatch((await readPlain('/llms.txt')).text, /\/sdk/)
})

test('no page has a script or a style of its own, and its policy allows none', async () => {
  for (const [address, html] of pages) assert.doesNotMatch(html, /<script|<style|\bstyle=|\son\w+="|<iframe/i, address)
  const { headers } = await read('/docs/fr/payer')
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; style-src 'self'/)
  assert.doesNotMatch(policy, /script-src|unsafe/)
})

test('a first view takes at most 35 kB, and a later page at most 12 kB', async () => {
  const style = /href="(\/docs\/style\/[^"]+)"/.exec(pages.get('/docs/fr')!)![1]!
  assert.match(String((await read(style)).headers['cache-control']), /immutable/)
  const bytesOf = async (path: string) =>
    Number((await read(path, { 'Accept-Encoding': 'br' })).headers['content-length'])
  const ofStyle = await bytesOf(style)
  const large = await Promise.all(
    [...pages.keys()].map(async (address) => {
      const bytes = await bytesOf(address)
      return bytes <= 12_000 && bytes + ofStyle <= 35_000 ? [] : [`${address}: ${bytes} bytes`]
    }),
  )
  assert.deepEqual(large.flat(), [])
})

test('a browser that has a page asks only whether it changed', async () => {
  const first = await read('/docs/fr/payer', { 'Accept-Encoding': 'br' })
  assert.equal(first.headers['content-encoding'], 'br')
  const again = await read('/docs/fr/payer', { 'If-None-Match': String(first.headers.etag) })
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', first.headers.etag])
})

test('an address without a language leads to the reader’s, French first', async () => {
  const leads = async (path: string, language: string) =>
    (await read(path, { 'Accept-Language': language })).headers.location
  assert.equal(await leads('/docs', 'de'), '/docs/fr')
  assert.equal(await leads('/docs/', 'en-GB,en;q=0.8'), '/docs/en')
  assert.equal(await leads('/docs/errors/no_answer', 'fr'), '/docs/fr/erreurs/no_answer')
  assert.equal(await leads('/docs/errors', 'en'), '/docs/en/errors')
  assert.equal(await leads('/docs/reference/createPayment', 'fr'), '/docs/fr/reference/createPayment')
})

test('each code that the service or the package can give has its page in both languages', async () => {
  // The kinds of failure that the package names itself, besides the codes of the service.
  const source = await readFile(new URL('../../sdk/typescript/src/send.ts', import.meta.url), 'utf8')
  const own = [...source.matchAll(/code: '(\w+)'/g)].map(([, code]) => code!)
  assert.deepEqual([...new Set(own)].sort(), [...clientCodes].sort())
  for (const code of [...Object.keys(errorMessages), ...own]) {
    for (const [address, words] of [
      [`/docs/fr/erreurs/${code}`, ['De l’argent a-t-il bougé', 'Que faire']],
      [`/docs/en/errors/${code}`, ['Has money moved?', 'What to do']],
    ] as const) {
      const html = pages.get(address) ?? ''
      assert.ok(html.includes(`<code>${code}</code>`), address)
      for (const word of words) assert.ok(html.includes(word), `${address}: ${word}`)
    }
  }
})

test('the reference has every route and every event of the contract that this service serves', async () => {
  const document = (await installation.ask({ path: '/openapi.json' })).json() as {
    paths: Record<string, Record<string, { operationId: string }>>
    webhooks: Record<string, object>
  }
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  assert.ok(operations.length > 30)
  for (const { operationId } of operations)
    for (const at of ['fr', 'en']) assert.ok(pages.has(`/docs/${at}/reference/${operationId}`), operationId)
  for (const kind of Object.keys(document.webhooks))
    for (const at of ['fr', 'en']) assert.ok(pages.has(`/docs/${at}/reference/${kind}`), kind)
})

test('the search finds words without their accents, and an error code, without a script', async () => {
  const found = async (question: string, at = 'fr/recherche') => {
    const { status, text } = await read(`/docs/${at}?q=${encodeURIComponent(question)}`)
    assert.equal(status, 200)
    return [...text.matchAll(/<li><a href="(\/docs\/[^"]+)">[^<]+<\/a>\n<p>/g)].map(([, address]) => address!)
  }
  assert.match((await found('paye deux fois'))[0]!, /^\/docs\/fr\/(?:payer|reprises)#/)
  assert.ok((await found('insufficient_funds')).includes('/docs/fr/erreurs/insufficient_funds'))
  assert.ok((await found('idempotency', 'en/search')).some((address) => address.startsWith('/docs/en/retries')))
  assert.deepEqual(await found('zzzzzz'), [])
  assert.deepEqual(await found('"><zzzzzz>'), [])
  const { text } = await read(`/docs/fr/recherche?q=${encodeURIComponent('"><b>'.repeat(100))}`)
  assert.ok(!text.includes('<b>'))
})

test('each page is there as Markdown, and /llms.txt lists them by whole addresses', async () => {
  const { text } = await read('/llms.txt')
  const home = new URL(/\]\((http[^)]+)\)/.exec(text)![1]!).origin
  const listed = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => address!)
  assert.ok(listed.length > 200)
  for (const path of ['/docs/fr/payer.md', '/docs/en/retries.md', '/docs/fr/erreurs/no_answer.md'])
    assert.ok(listed.includes(home + path), path)
  const twin = await read('/docs/fr/payer.md')
  assert.match(String(twin.headers['content-type']), /^text\/markdown/)
  assert.match(twin.text, /^# Payer\n/)
  assert.match(twin.text, /```ts TypeScript\nimport \{ Bandama/)
  for (const [, address = ''] of twin.text.matchAll(/\]\(([^)]+)\)/g)) {
    assert.ok(address.startsWith(home), address)
    assert.notEqual((await read(new URL(address).pathname)).status, 404, address)
  }
})

test('samples name this address and this package', async () => {
  const { packages } = (await installation.ask({ path: '/sdk' })).json() as { packages: { url: string }[] }
  const html = pages.get('/docs/fr/premiers-pas')!
  assert.ok(html.includes(`npm install ${packages[0]!.url}`))
  assert.ok(html.includes(`curl -sS ${new URL(packages[0]!.url).origin}/v1-payments`))
  for (const [address, text] of pages) assert.doesNotMatch(text, /pay\.example\.ci/, address)
})

test('an unknown address is a page for people and a refusal for programs', async () => {
  const page = await read('/docs/fr/nulle-part')
  assert.deepEqual([page.status, titleOf(page.text)], [404, 'Page introuvable – Bandama'])
  for (const path of ['/docs/fr/nulle-part', '/docs/de', '/docs/style/other.css', '/docs/fr/payer/x']) {
    const { status, json } = await installation.ask({ path })
    assert.equal(status, 404, path)
    assert.equal((json() as { error: { code: string } }).error.code, 'resource_not_found', path)
  }
})
