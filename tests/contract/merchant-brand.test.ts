import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { discPng } from '../harness/pictures.ts'
import { newSession, open } from './payer.ts'

let installation: Installation
let folder: string
before(async () => {
  installation = await openInstallation()
  folder = await mkdtemp(join(tmpdir(), 'logo-'))
  await writeFile(join(folder, 'logo.png'), discPng(160, 64))
  await writeFile(join(folder, 'large.png'), discPng(160, 64, 9_000))
  await writeFile(join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

test('a merchant’s colour and logo are on its pages, allowed only by their hash, and can be removed', async () => {
  const { key, merchant_id } = await installation.newMerchant()
  const brand = (...words: string[]) =>
    installation.bandama('merchant', 'brand', '--merchant', String(merchant_id), ...words)
  const { path } = await newSession(installation, key)
  const page = () => installation.ask({ path, headers: { Accept: 'text/html' } })

  assert.deepEqual(await brand(), { merchant_id, color: null, logo: null })
  assert.doesNotMatch((await page()).text, /<img|--brand:/)

  const set = await brand('--color', '#0A7D4B', '--logo', join(folder, 'logo.png'), '--as', 'aya@example.com')
  const logo = { type: 'image/png', width: 160, height: 64, bytes: discPng(160, 64).length }
  const color = { color: '#0a7d4b', text_color: '#ffffff', contrast: 5.18 }
  assert.deepEqual(set, { merchant_id, color, logo })
  const shown = await page()
  assert.match(shown.text, /<img class="logo" src="data:image\/png;base64,[A-Za-z0-9+/]+=*" alt="">/)
  assert.match(shown.text, /<style>:root\{--brand:#0a7d4b;--on-brand:#ffffff/)
  const policy = String(shown.headers['content-security-policy'])
  assert.match(policy, /style-src 'sha256-[^']+' 'sha256-[^']+'; img-src data:;/)
  assert.doesNotMatch(policy, /unsafe|\*/)
  const facts = await open(installation, path)
  assert.equal(facts.merchant_color, '#0a7d4b')
  assert.ok(!('merchant_logo' in facts), 'a look every two seconds does not carry a picture')

  const [act] = await installation.db.sql<{ actor: string; act: string; after: object }[]>`
    select actor, act, after from audit_log where merchant_id = ${merchant_id} and act = 'merchant.brand'`
  assert.deepEqual(act, { actor: 'aya@example.com', act: 'merchant.brand', after: { color: '#0a7d4b', logo } })

  assert.deepEqual(await brand('--no-logo'), { merchant_id, color, logo: null })
  assert.doesNotMatch((await page()).text, /<img/)
  assert.deepEqual(await brand('--no-color'), { merchant_id, color: null, logo: null })
  assert.doesNotMatch((await page()).text, /--brand:/)
})

test('an unreadable colour, and a file that is not a small picture, are refused with advice', async () => {
  const { merchant_id } = await installation.newMerchant()
  const refused = async (words: string[], said: RegExp) => {
    await assert.rejects(installation.bandama('merchant', 'brand', '--merchant', String(merchant_id), ...words), said)
  }
  await refused(
    ['--color', '#6f7f7f'],
    /does not read well on #6f7f7f: the best contrast is 4\.\d+:1 .*4\.5:1 is needed.*'#[0-9a-f]{6}'/,
  )
  await refused(['--color', 'green'], /six digits/)
  await refused(['--logo', join(folder, 'large.png')], /more than 8192 bytes/)
  await refused(['--logo', join(folder, 'logo.svg')], /no whole PNG, JPEG or WebP/)
  await refused(['--logo', join(folder, 'none.png')], /none\.png/)
  await refused(['--color', '#0a7d4b', '--no-color'], /not both/)
  await assert.rejects(installation.bandama('merchant', 'brand', '--merchant', '999999'), /no merchant 999999/)
  const [row] = await installation.db.sql<object[]>`
    select brand_color, brand_logo from merchants where merchant_id = ${merchant_id}`
  assert.deepEqual(row, { brand_color: null, brand_logo: null })
})
