import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createLog, type Log } from '../../src/platform/log.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { makePackages } from '../../src/sdk/make-packages.ts'
import { packageName } from '../../src/sdk/package-files.ts'
import { createSdk } from '../../src/sdk/serve-sdk.ts'
import { findFile, keepFiles } from '../../src/sdk/store.ts'
import { openTestDatabase } from '../harness/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'

type Listed = {
  name: string
  package: string
  version: string
  url: string
  integrity: string
  bytes: number
  install: string
}
type Index = { object: string; version: string; brand: string; url: string; packages: Listed[] }

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

const home = () => installation.services[0]!.address
const index = async () => (await installation.ask({ path: '/sdk' })).json() as Index
const named = async (name: string) => (await index()).packages.find((one) => one.name === name)!

async function take(url: string) {
  const answer = await fetch(url, { redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

test('the list names each package with its address, its bytes and their hash', async () => {
  const { object, version, brand, url, packages } = await index()
  assert.deepEqual([object, brand, url], ['sdk', 'Bandama', home()])
  assert.deepEqual(
    packages.map(({ name }) => name),
    ['node', 'js', 'php', 'php-single', 'python', 'bdm', 'woocommerce'],
  )
  for (const listed of packages) {
    assert.equal(listed.version, version)
    assert.ok(listed.install.includes(listed.name === 'php' ? `${home()}/sdk/composer` : listed.url))
    const { status, headers, bytes } = await take(listed.url)
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(bytes.length, listed.bytes)
    assert.equal(`sha512-${createHash('sha512').update(bytes).digest('base64')}`, listed.integrity)
  }
  assert.ok(packages[0]!.bytes <= 80_000, `${packages[0]!.bytes} bytes`)
})

test('a browser gets a page in French or English, without script, and nothing from other hosts', async () => {
  const open = (language: string) =>
    installation.ask({ path: '/sdk', headers: { Accept: 'text/html', 'Accept-Language': language } })
  const { install } = await named('node')
  for (const [language, title] of [
    ['fr', 'Bibliothèques pour vos programmes'],
    ['en', 'Libraries for your programs'],
  ] as const) {
    const { status, headers, text } = await open(language)
    assert.equal(status, 200)
    assert.ok(text.includes(`<html lang="${language}">`) && text.includes(title) && text.includes(install))
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; script-src 'self'; style-src 'sha256-/,
    )
    assert.doesNotMatch(text, /<script|(?:src|href)="(?:https?:)?\/\//)
    assert.ok(Buffer.byteLength(text) < 35_000)
  }
})

test('a module names its types, and leads to nothing that is not served', async () => {
  const { url } = await named('js')
  const seen = new Set<string>()
  const waiting = ['index.js', 'webhooks.js', 'edge.js', 'hono.js', 'test.js'].map((name) => new URL(name, url).href)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    const { status, headers, bytes } = await take(next)
    assert.equal(status, 200, next)
    const types = headers.get('x-typescript-types')
    assert.equal(types !== null, next.endsWith('.js'), next)
    const imported = [...bytes.toString('utf8').matchAll(/from '(\.[^']+)'/g)].map(([, name]) => name!)
    for (const name of [...imported, ...(types === null ? [] : [types])]) waiting.push(new URL(name, next).href)
  }
  assert.ok(seen.size > 25)
})

test('the short address leads to the newest package', async () => {
  const { status, headers } = await take(`${home()}/sdk/node.tgz`)
  assert.equal(status, 302)
  assert.equal(new URL(headers.get('location')!, home()).href, (await named('node')).url)
})

test('every process makes the same bytes, and another address or brand makes other names', async () => {
  const here = { origin: home(), brand_name: 'Bandama' }
  const [one, two] = [await makePackages(here), await makePackages(here)]
  assert.deepEqual(one, two)
  assert.deepEqual(one.listed, (await index()).packages)
  const elsewhere = await makePackages({ ...here, origin: 'https://pay.example.ci' })
  const branded = await makePackages({ ...here, brand_name: 'Banque Test' })
  for (const at of one.listed.keys()) {
    const names = [one, elsewhere, branded].map(({ listed }) => new URL(listed[at]!.url).pathname)
    // The modules, the single file and the command line have no name of a brand inside.
    assert.equal(new Set(names).size, ['js', 'php-single', 'bdm'].includes(one.listed[at]!.name) ? 2 : 3)
  }
  assert.deepEqual([branded.listed[0]!.package, branded.listed[2]!.package], ['banque-test-sdk', 'banque-test-sdk/php'])
})

test('a brand keeps its letters in the name of its package, and never takes that of another package', () => {
  const names = {
    ...{ Bandama: 'bandama', '--': 'bandama', 'Société Ivoirienne': 'societe-ivoirienne-sdk', Express: 'express-sdk' },
    ...{ 'Cœur d’Abidjan': 'coeur-d-abidjan-sdk', Sɔrɔ: 'soro-sdk', 'ÉTÉ 2026!': 'ete-2026-sdk', http: 'http-sdk' },
  }
  for (const [brand, name] of Object.entries(names)) assert.equal(packageName(brand), name)
})

test('a file that an earlier version gave out is given out for ever, and no other name is', async () => {
  const { sql } = installation.db
  const bytes = Buffer.from('of an earlier version')
  const old = { name: 'node-0.0.1-01234567.tgz', type: 'application/gzip', bytes }
  await keepFiles(sql, [{ ...old, sha512: createHash('sha512').update(bytes).digest() }])
  const early = { ...old, name: 'node-1.0.0-rc.1-01234567.tgz' }
  await keepFiles(sql, [{ ...early, sha512: createHash('sha512').update(bytes).digest() }])
  assert.equal((await take(`${home()}/sdk/${early.name}`)).status, 200)
  for (let times = 0; times < 2; times += 1) {
    const answer = await take(`${home()}/sdk/${old.name}`)
    assert.deepEqual([answer.status, answer.bytes], [200, bytes])
  }
  for (const name of ['node-0.0.1-01234568.tgz', 'x', '..%2fpackage.json', 'js-0.1.0-01234567/index.js', 'node.tgz/x'])
    assert.equal((await take(`${home()}/sdk/${name}`)).status, 404, name)
})

test('processes that start together keep each file once, as it is', async () => {
  await using db = await openTestDatabase()
  const { files } = await makePackages({ origin: 'https://pay.example.ci', brand_name: 'Bandama' })
  await Promise.all(Array.from({ length: 6 }, () => keepFiles(db.sql, files)))
  const [row] = await db.sql<{ count: number }[]>`select count(*)::int as count from served_files`
  assert.equal(row!.count, files.length)
  for (const file of files) assert.deepEqual(await findFile(db.sql, file.name), file)
})

test('the files come into the database soon after the start', async () => {
  const name = new URL((await named('node')).url).pathname.replace('/sdk/', '')
  await waitFor(() => findFile(installation.db.sql, name))
})

test('the newest files come from memory, and a database that fails leaves them as they are', async () => {
  const unreachable = (() => Promise.reject(new Error('no database'))) as unknown as Sql
  const warned: string[] = []
  const log = { ...createLog('silent', 'test'), warn: (_: object, text: string) => warned.push(text) } as unknown as Log
  const sdk = createSdk({ sql: unreachable, brand_name: 'Bandama', origin: home, log })
  await sdk.prepare()
  assert.match(warned.join(), /^sdk: packages not kept/)
  const name = new URL((await named('node')).url).pathname.replace('/sdk/', '')
  const began = performance.now()
  for (let count = 0; count < 100; count += 1) {
    assert.equal((await sdk.file(name))?.status, 200)
    assert.equal((await sdk.index({ url: '/sdk', headers: {} }))?.status, 200)
  }
  const each = (performance.now() - began) / 200
  assert.ok(each < 5, `${each} ms`)
})

test('packages that could not be made or kept at the start are made and kept at the next look', async () => {
  await using db = await openTestDatabase()
  let isBroken = true
  const sql = new Proxy(db.sql, {
    apply: (target, self, words) =>
      isBroken ? Promise.reject(new Error('no database')) : Reflect.apply(target, self, words),
  })
  // A number of this kind cannot be written into a file.
  let address: unknown = 1n
  const sdk = createSdk({
    sql,
    brand_name: 'Bandama',
    origin: () => address as string,
    log: createLog('silent', 'test'),
  })
  const look = () => sdk.index({ url: '/sdk', headers: {} })
  await sdk.prepare()
  assert.equal(await look(), null)
  address = 'https://pay.example.ci'
  assert.equal((await look())?.status, 200)
  const { files } = await makePackages({ origin: 'https://pay.example.ci', brand_name: 'Bandama' })
  isBroken = false
  await waitFor(async () => {
    await look()
    return findFile(db.sql, files[0]!.name)
  })
})

test('SDK=off turns the addresses off', async () => {
  await using service = await installation.start({ args: ['--only', 'api'], env: { SDK: 'off' } })
  for (const path of ['/sdk', '/sdk/node.tgz']) assert.equal((await fetch(service.address + path)).status, 404, path)
})
