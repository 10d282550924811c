import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ProposalRow } from '../../src/anomalies/anomaly.ts'
import { keepAnomalies } from '../../src/operators/doubts/anomalies.ts'
import { createClock } from '../../src/platform/clock.ts'
import { type AnomalyDesk, openAnomalyDesk } from '../contract/anomaly-desk.ts'
import { type Collector, newCollector } from '../contract/collector.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { plain } from '../contract/terminals.ts'
import { askHigherCap } from '../harness/caps.ts'
import { type Browser, openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// The queue of the desk: all that waits for people, oldest first, and the person to whom each case is assigned.

let installation: Installation
let merchant: Collector
let desk: AnomalyDesk
let settler: Settler
let ama: Member
let kofi: Member
let anomaly_id: string
let settlement_id: string
const other = mode === 'test' ? 'live' : 'test'

before(async () => {
  installation = await openInstallation({ own: 'reads all that waits on the desk' })
  merchant = await newCollector(installation)
  desk = openAnomalyDesk(installation, merchant)
  ama = await openMember(installation, 'Ama Koné', { staff: ['operations'] })
  kofi = await openMember(installation, 'Kofi Yao', { staff: ['finance'] })
  settler = await newSettler(installation)
  const { anomaly } = await desk.amountMismatch()
  anomaly_id = anomaly.id
  settlement_id = ((await settler.request(5_000)).json() as { id: string }).id
})
after(() => installation[Symbol.asyncDispose]())

type Cases = {
  cases: { id: string; owner: string | null; held: number }[]
  counts: Record<string, number>
  held: number
}
/** Returns the end of a decision's address: the waiting proposal. */
const standing = async (browser: Browser, id: string) => {
  const { proposals } = (await browser.facts(`/desk/${mode}/cases/${id}`)).body as { proposals: ProposalRow[] }
  return `?proposal=${proposals.find(({ status }) => status === 'proposed')?.id}`
}
const queue = async (browser: Browser, tab = '') =>
  (await browser.facts(`/desk/${mode}${tab}`)).body as unknown as Cases

test('one list has all that waits, oldest first, with the amounts that are held back', async () => {
  const { cases, held } = await queue(ama)
  assert.deepEqual(
    cases.map(({ id, held }) => [id, held]),
    [
      [anomaly_id, 1_000],
      [settlement_id, 5_000],
    ],
  )
  assert.equal(held, 6_000)
  const page = await ama.get(`/desk/${mode}`)
  assert.equal(page.status, 200)
  assert.match(page.text, /2 affaires, 6\u202f000\u00a0F\u00a0CFA retenus/)
  assert.match(page.text, /Montant différent/)
})

test('doubts and mismatches are drawn by age above a table by operator, and each figure links to its cases', async () => {
  const page = (await ama.get(`/desk/${mode}`)).text
  const drawing = page.slice(page.indexOf('Âge des doutes'))
  const ways = [...drawing.matchAll(/href="(\/desk\/\w+\?[^"]*(?:age|operator)=[^"]*)"/g)].map(([, to]) =>
    to!.replaceAll('&amp;', '&'),
  )
  assert.ok(ways.length >= 7, 'four marks, the operator and its figure, and the sum')
  for (const to of ways) {
    const { cases } = (await ama.facts(to)).body as unknown as Cases
    const expected = /age=(?:day|three_days|older)/.test(to) ? [] : [anomaly_id]
    assert.deepEqual(
      cases.map(({ id }) => id),
      expected,
      to,
    )
  }
  const filtered = (await ama.get(ways.find((to) => to.includes('age=hour') && to.includes('operator='))!)).text
  assert.match(filtered, /Retirer le filtre/)
  assert.equal((await queue(ama, '?age=never&operator=%27')).cases.length, 2, 'what cannot be read filters nothing')
})

test('the other mode has its own queue, without these cases', async () => {
  assert.deepEqual((await ama.facts(`/desk/${other}`)).body.cases, [])
  for (const path of [`/cases/${anomaly_id}`, `/settlements/${settlement_id}`]) {
    assert.equal((await ama.get(`/desk/${mode}${path}`)).status, 200, path)
    assert.equal((await ama.get(`/desk/${other}${path}`)).status, 404, path)
  }
})

test('a case is taken, taken over and released, each with a line in the audit log', async () => {
  const take = (browser: Browser) => browser.post(`/desk/${mode}/take/${anomaly_id}`, {}, `/desk/${mode}`)
  const taken = await take(ama)
  assert.equal(taken.status, 303)
  assert.equal(taken.location, `/desk/${mode}/cases/${anomaly_id}?done=taken`)
  assert.match((await kofi.get(`/desk/${mode}/cases/${anomaly_id}`)).text, /\/take\//)
  // A repeated submission is the same decision.
  await take(ama)
  assert.deepEqual(
    (await queue(ama, '?tab=mine')).cases.map(({ id }) => id),
    [anomaly_id],
  )
  assert.deepEqual(
    (await queue(kofi, '?tab=nobody')).cases.map(({ id }) => id),
    [settlement_id],
  )
  await take(kofi)
  // It is no longer assigned to her.
  await ama.post(`/desk/${mode}/give-back/${anomaly_id}`, {}, `/desk/${mode}/cases/${anomaly_id}`)
  assert.equal((await queue(ama)).cases[0]!.owner, kofi.email)
  await kofi.post(`/desk/${mode}/give-back/${anomaly_id}`, {}, `/desk/${mode}/cases/${anomaly_id}`)
  assert.equal((await queue(ama)).cases[0]!.owner, null)
  const lines = await installation.db.sql<{ actor: string; act: string; door: string; before: unknown }[]>`
    select actor, act, door, before from audit_log where subject = ${anomaly_id} and act like 'case.%' order by at, id`
  assert.deepEqual(
    lines.map(({ actor, act, door }) => [actor, act, door]),
    [
      [ama.email, 'case.take', 'console'],
      [kofi.email, 'case.take', 'console'],
      [kofi.email, 'case.give_back', 'console'],
    ],
  )
  assert.deepEqual(lines[1]!.before, { owner: ama.email })
})

test('an administrator and a merchant see no case', async () => {
  const { sql } = installation.db
  const { address } = installation.services[0]!
  const administrator = await openBrowser(sql, address, { staff: ['administrator'] })
  const page = await administrator.facts(`/desk/${mode}`)
  assert.equal(page.status, 200)
  assert.equal(page.body.cases, undefined)
  for (const path of [`/cases/${anomaly_id}`, '/settlements', `/settlements/${settlement_id}`])
    assert.equal((await administrator.get(`/desk/${mode}${path}`)).status, 403, path)
  const owner = await openBrowser(sql, address, { merchant_id: merchant.tenant.merchant_id, roles: ['owner'] })
  for (const path of ['', `/cases/${anomaly_id}`])
    assert.equal((await owner.get(`/desk/${mode}${path}`)).status, 404, path)
})

test('two people close an anomaly: one proposes, keeps the typed text after an error, and never decides', async () => {
  const at = `/desk/${mode}/cases/${anomaly_id}`
  const typed = { resolution: 'as_proven', amount: 'mille', reason: 'Vu au portail' }
  const refused = await ama.post(`${at}/propose`, typed, at)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /value="mille"/)
  assert.match(refused.text, /value="Vu au portail"/)
  assert.match(refused.text, /href="#amount"/)
  assert.match(refused.text, /L’opérateur dit\s: 1\s001\sF\sCFA\.[\s\S]*ne anomalie est ouverte\s: 1\s001\sF\sCFA/)
  const proposed = await ama.post(`${at}/propose`, { ...typed, amount: '1 001' }, at)
  assert.equal(proposed.location, `${at}?done=proposed`)
  const own = await ama.get(at)
  assert.match(own.text, /Vous avez proposé/)
  assert.doesNotMatch(own.text, /\/approve/)
  assert.equal((await queue(kofi, '?tab=confirm')).cases[0]!.id, anomaly_id)
  assert.deepEqual((await queue(ama, '?tab=confirm')).cases, [])
  const first = await standing(ama, anomaly_id)
  const same = await ama.post(`${at}/dispute${first}`, {}, at)
  assert.equal(same.status, 409)
  assert.match(same.text, /une autre personne confirme/)
  const disputed = await kofi.post(`${at}/dispute${first}`, {}, at)
  assert.equal(disputed.location, `${at}?done=disputed`)
  assert.deepEqual((await queue(kofi, '?tab=confirm')).cases, [])

  await ama.post(`${at}/propose`, { ...typed, amount: '1 001' }, at)
  // A page that still shows the first proposal decides nothing about the second.
  for (const act of ['approve', 'dispute']) {
    const late = await kofi.post(`${at}/${act}${first}`, {}, at)
    assert.equal(late.status, 409, act)
    assert.match(late.text, /Cette proposition n’attend plus/)
  }
  const approve = `${at}/approve${await standing(kofi, anomaly_id)}`
  const { ask, done } = await kofi.confirm(approve, {}, at)
  assert.match(plain(ask), /1.001 F.CFA/)
  assert.equal(done.location, `${at}?done=resolved`)
  assert.equal((await queue(kofi)).cases.length, 1)
  assert.doesNotMatch((await kofi.get(at)).text, /\/take\//)
  // A repeated submission finds the decision made.
  const again = await kofi.post(approve, {}, at)
  assert.equal(again.status, 409)
  const [line] = await installation.db.sql`
    select step_up_id from audit_log where subject = ${anomaly_id} and act = 'anomaly.approve'`
  assert.match(String(line!.step_up_id), /^stp_/)
})

test('the evidence of an unknown reference is masked, and the second person reads which merchant is credited', async () => {
  const { sql } = installation.db
  const about = {
    merchant_id: 0,
    livemode: mode === 'live',
    subject_id: 'simulator:none',
    operator: 'simulator',
    kind: 'unknown_reference',
    fact: '',
    evidence: { msisdn: '+2250707123456' },
  } as const
  const [unknown] = await sql.begin((tx) => keepAnomalies(tx, [about], createClock().now()))
  const page = await ama.get(`/desk/${mode}/cases/${unknown}`)
  assert.equal(page.status, 200)
  assert.match(page.text, /qui n’est pas à nous/)
  assert.doesNotMatch(page.text, /07123456/)
  const at = `/desk/${mode}/cases/${unknown}`
  const { merchant_id } = settler.tenant
  const typed = {
    resolution: 'credit_available',
    amount: '700',
    merchant: String(merchant_id),
    reason: 'Vu au portail',
  }
  await ama.post(`${at}/propose`, typed, at)
  const credited = new RegExp(`700\u00a0F\u00a0CFA, Boutique \\(n° ${merchant_id}\\)`)
  assert.match((await kofi.get(at)).text, credited)
  const ask = await kofi.post(`${at}/approve${await standing(kofi, unknown!)}`, {}, at)
  assert.match(plain(ask), new RegExp(`700 F.CFA .*Boutique \\(${merchant_id}\\) .*Vu au portail`))
  assert.equal((await ama.get(`/desk/${mode}/cases/ano_none`)).status, 404)
  assert.equal((await ama.get(`/desk/${mode}/cases/txn_none`)).status, 404)
})

test('a case that holds no money back says so', async () => {
  await askHigherCap(installation.db.sql, merchant.tenant, 600_000)
  assert.match(
    (await ama.get(`/desk/${mode}`)).text,
    /Plafond de 24.h à relever[\s\S]*<td role="cell" class="m n">rien<\/td>/,
  )
})
