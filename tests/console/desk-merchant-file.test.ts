import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createMerchant } from '../harness/create-merchant.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// A merchant's file at the desk. `acts.test.ts` walks rights, factors and lines of its acts.

let installation: Installation
let compliance: Member
let support: Member
let merchant_id: number
let file: string

before(async () => {
  installation = await openInstallation()
  compliance = await openMember(installation, 'Awa Bamba', { staff: ['compliance'] })
  support = await openMember(installation, 'Yves Kacou', { staff: ['support'] })
  merchant_id = await createMerchant(installation.db.sql, 'Maquis Le Wafou')
  file = `/desk/${mode}/merchants/${merchant_id}/file`
})
after(() => installation[Symbol.asyncDispose]())

const NUMBER = '0142771109'
const full = {
  legal_name: 'Wafou Restauration SARL',
  legal_form: 'sarl',
  rccm: 'ci-abj-03-2025-b12-08813',
  registered_on: '2025-03-14',
  tax_number: '2509871 k',
  tax_regime: 'rsi',
  tax_regime_since: '2026-01-01',
  activity: 'Restauration',
  address: 'Yopougon, Siporex',
  contact_name: 'Affoué Konan',
  contact_number: NUMBER,
  contact_email: 'wafou@example.ci',
}
const set = (fields: object) => compliance.confirm(file, { ...fields }, `${file}/edit`)

test('a file keeps the facts in one form, and its lines name the changed facts and quote none', async () => {
  const { done } = await set(full)
  assert.equal(done.location, `${file}?done=saved`)
  const { text } = await support.get(file)
  for (const shown of ['CI-ABJ-03-2025-B12-08813', '2509871K', 'RSI, réel simplifié', '14 mars 2025', 'Affoué Konan'])
    assert.ok(text.includes(shown), shown)
  assert.doesNotMatch(text, /file\/edit/)
  assert.match((await compliance.get(`${file}/edit`)).text, /value="Wafou Restauration SARL"/)

  // The command changes one fact and leaves the others; an empty text takes one away.
  const of = ['--merchant', String(merchant_id)]
  await installation.bandama('merchant-file', 'set', ...of, '--activity', 'Traiteur', '--address', '')
  const shown = (await installation.bandama('merchant-file', 'show', ...of)) as Record<string, unknown>
  assert.deepEqual([shown.activity, shown.address, shown.tax_number], ['Traiteur', null, '2509871K'])

  const lines = await installation.db.sql<{ before: object | null; after: { changed: string[] } }[]>`
    select before, after from audit_log where merchant_id = ${merchant_id} and act = 'merchant_file.set' order by at`
  assert.deepEqual(
    lines.map((line) => line.after),
    [{ changed: Object.keys(full) }, { changed: ['activity', 'address'] }],
  )
  const other = await createMerchant(installation.db.sql, 'Un autre')
  await installation.bandama('merchant-file', 'set', '--merchant', String(other), '--tax-number', '2509871K')
  assert.match((await support.get(file)).text, /1 autre\(s\) marchand\(s\) ont ce NCC/)
})

test('a fact that cannot be read is refused beside its field, with what was typed', async () => {
  const wrong: Record<string, string> = {
    legal_name: 'a'.repeat(201),
    legal_form: 'ltd',
    rccm: 'ABJ 2025',
    registered_on: '2025-02-30',
    tax_number: '250987',
    tax_regime: 'vat',
    contact_number: '+33612345678',
    contact_email: 'wafou@',
  }
  const answer = await compliance.post(file, wrong, `${file}/edit`)
  assert.equal(answer.status, 422)
  for (const name of Object.keys(wrong)) assert.match(answer.text, new RegExp(`id="${name}-e"`), name)
  assert.match(answer.text, /value="ABJ 2025"/)
  const alone = await compliance.post(file, { ...full, tax_regime: '' }, `${file}/edit`)
  assert.match(alone.text, /Choisissez le régime qui commence ce jour/)
})

test('owners above a quarter are added up to 100 %, also by two people at once, and leave with a trace', async () => {
  const add = (share: string) => compliance.confirm(`${file}/owners`, { name: 'Affoué Konan', share }, file)
  for (const share of ['25', '100,01', 'tout']) {
    const refused = await compliance.post(`${file}/owners`, { name: 'Affoué Konan', share }, file)
    assert.match(refused.text, /plus de 25 à 100/, share)
  }
  await add('25,01')
  const of = ['--merchant', String(merchant_id), '--name', 'Yao Konan', '--share', '60']
  const together = await Promise.allSettled([1, 2].map(() => installation.bandama('merchant-file', 'add-owner', ...of)))
  assert.deepEqual(together.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  const { text } = await compliance.get(file)
  assert.match(text, /25,01 %[\s\S]*60 %/)
  const [, end] = /action="([^"]+\/owners\/mow_[^"]+\/end)"/.exec(text)!
  const { done } = await compliance.confirm(end!, { merchant: String(merchant_id) }, file)
  assert.equal(done.location, `${file}?done=removed`)
  assert.doesNotMatch((await compliance.get(file)).text, /25,01 %/)
  const [row] = await installation.db.sql<{ count: number }[]>`
    select count(*)::integer as count from merchant_owners where merchant_id = ${merchant_id} and ended_at is not null`
  assert.equal(row!.count, 1)
})
