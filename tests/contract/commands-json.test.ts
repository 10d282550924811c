import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { allCommands, findCommand } from '../../src/cli/commands.ts'
import { createClock } from '../../src/platform/clock.ts'
import { startTwin } from '../../src/twin/start-twin.ts'
import { newDocument } from '../console/stages/documents.ts'
import { newProposedDeposit, newProposedRefund, newShownDeposit } from '../console/stages/money.ts'
import { newProposedConnector, newProposedRoute } from '../console/stages/operators.ts'
import { askHigherCap } from '../harness/caps.ts'
import { logIn, printInProcess, RefusedCommand, runCommand, runHere } from '../harness/command-line.ts'
import { databaseSettings } from '../harness/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { newPerson, peopleDeps } from '../harness/people.ts'
import { type AnomalyDesk, openAnomalyDesk } from './anomaly-desk.ts'
import { IBAN } from './book.ts'
import { type Collector, newCollector } from './collector.ts'
import { runStatements } from './commands-of-statements.ts'
import { newNumber, payout } from './sender.ts'
import { newSettler } from './settler.ts'

// Every command prints one object on one line with --json, and leaves nothing open, or this file would not end. `statement` prints a file in a process
// of its own.

const KOFI = ['--as', 'kofi@example.com']
const AMA = ['--as', 'ama@example.com']

/** The commands that run until they are stopped. start.test.ts reads the first two line by line, and other tests start the twin. */
const streams = ['serve', 'listen', 'twin']

/** The commands of the embedded database. tests/faults/backups.test.ts runs them. */
const embedded = ['backup run', 'backup list', 'restore', 'restore drill']

let installation: Installation
let merchant: Collector
let desk: AnomalyDesk
let env: Record<string, string | undefined>
const met = new Set<string>()

before(async () => {
  installation = await openInstallation({ own: 'audits all books' })
  merchant = await newCollector(installation)
  desk = openAnomalyDesk(installation, merchant)
  const { PATH, HOME } = process.env
  const SECRET_KEY = installation.services[0]!.secret_key
  env = { PATH, HOME, ...databaseSettings(installation.db.url), SECRET_KEY, EGRESS_ALLOW: '127.0.0.0/8' }
})
after(() => installation[Symbol.asyncDispose]())

/** Runs a command and returns the one object that it printed. */
async function run(...words: string[]): Promise<Record<string, string>> {
  const printed = await printInProcess(words, env)
  const { code, stdout } = printed
  if (code !== 0) throw new RefusedCommand(words, printed)
  assert.equal(stdout.indexOf('\n'), stdout.length - 1, `one line of ${words.join(' ')}: ${stdout}`)
  const answer = JSON.parse(stdout) as Record<string, string>
  assert.ok(typeof answer === 'object' && answer !== null && !Array.isArray(answer), stdout)
  met.add((await findCommand(words))!.name)
  return answer
}

const idOf = async (answer: Promise<{ json(): unknown }>) => ((await answer).json() as { id: string }).id

test('the service and its merchants', async () => {
  await run('migrate')
  await run('status')
  await run('incident', 'list')
  const { incident_id } = await run('incident', 'open', '--title', 'stolen laptop', '--security', ...KOFI)
  await run('incident', 'show', '--id', incident_id!)
  await run('incident', 'end', '--id', incident_id!, ...KOFI)
  await run('audit')
  await run('listings', 'rebuild', ...KOFI)
  const { merchant_id } = await run('merchant', 'create', '--name', 'Maquis')
  const of = ['--merchant', String(merchant_id)]
  await run('merchant', 'list')
  await run('merchant-file', 'set', ...of, '--legal-name', 'Maquis SARL', '--legal-form', 'sarl')
  const { id: owner } = await run('merchant-file', 'add-owner', ...of, '--name', 'Awa', '--share', '50')
  await run('merchant-file', 'end-owner', ...of, '--id', owner!)
  await run('merchant-file', 'ask-document', ...of, '--kind', 'rccm')
  const ours = { sql: installation.db.sql, tenant: { merchant_id: Number(merchant_id), livemode: mode === 'live' } }
  const received = async () => (await newDocument(ours, 'received')).subject!
  const { subject: refused } = await newDocument(ours, 'refused')
  await run('merchant-file', 'check-document', ...of, '--id', await received())
  await run('merchant-file', 'refuse-document', ...of, '--id', await received(), '--reason', 'Illisible')
  await run('merchant-file', 'erase-document', ...of, '--id', refused!, '--reason', 'Une autre personne')
  await run('merchant-file', 'show', ...of)
  const proposed = async () => {
    await installation.db.sql`update merchants set is_checked = false where merchant_id = ${Number(of[1])}`
    return (await run('merchant-check', 'propose', ...of, '--as', 'awa@example.com')).proposal_id!
  }
  await run('merchant-check', 'withdraw', '--id', await proposed(), '--as', 'awa@example.com')
  await run('merchant-check', 'refuse', '--id', await proposed(), '--as', 'yves@example.com')
  await run('merchant-check', 'approve', '--id', await proposed(), '--as', 'yves@example.com')
  await run('merchant', 'deactivate', ...of)
  await run('merchant', 'activate', ...of)
  await run('merchant', 'brand', ...of, '--color', '#0a5c36')
  const { key_id } = await run('key', 'create', ...of, '--mode', 'live', '--scope', 'payout')
  await keyToConfirm(key_id!)
  await run('key', 'confirm', ...of, '--mode', 'live', '--key-id', key_id!)
  await run('key', 'list')
  await run('key', 'restrict', '--key-id', key_id!, '--allow', '192.0.2.7')
  await run('key', 'revoke', '--key-id', key_id!)
  await run('fees', 'set', ...of, '--service', 'payout', '--fixed', '100')
  await run('audit-log', 'list')
})

test('caps, and the higher ones that wait', async () => {
  const higher = () => askHigherCap(installation.db.sql, merchant.tenant, 600_000)
  await run('caps', 'refuse', '--id', await higher(), '--reason', 'No need')
  await run('caps', 'approve', '--id', await higher())
  // The usual cap again, above which the batches of a later test wait for approval.
  await run('caps', 'set', ...merchant.words, '--day', '500000')
  await run('caps', 'list', '--mode', mode)
})

/** Makes a key like the console, so that it waits for a second person. */
async function keyToConfirm(key_id: string): Promise<void> {
  await installation.db.sql`
    update api_keys
       set needs_confirmation = true, created_by = 'ama@example.com'
     where key_id = ${key_id}`
}

test('signing in and out', async () => {
  const { address: origin, secret_key } = installation.services[0]!
  const deps = peopleDeps(installation.db.sql, { origin, secret_key, clock: createClock() })
  const person = await newPerson(deps, { staff_roles: ['support'] })
  const folder = await mkdtemp(join(tmpdir(), 'login-'))
  const own = { ...env, XDG_CONFIG_HOME: folder }
  await installation.db.sql`update person_totp set last_step = null`
  const { answer, said } = await logIn(own, person)
  assert.equal(answer.email, person.email, said)
  met.add('login')
  assert.deepEqual((await runHere(own, ['logout'])).answer, { signed_out: true })
  met.add('logout')
  await rm(folder, { recursive: true })
})

test('payments, payouts, and the stops and requests that hold them', async () => {
  const payment = await merchant.collect(50_000, { simulate: true })
  await run('payment', 'list')
  await run('payment', 'show', '--id', payment.id)
  await run('payment', 'find', '--reference', 'ORDER-1')
  await run('receipt', 'find', '--reference', 'KAG5X-C6W0Z')
  await run('deposit', ...merchant.words, '--amount', '900000')
  await run('transfer', ...merchant.words, '--amount', '1000')
  await run('balance', ...merchant.words)
  const sent = await idOf(merchant.send(payout(500)))
  await run('payout', 'make', ...merchant.words, '--to', newNumber(), '--amount', '500', '--key', 'rent')
  await run('payout', 'list')
  await run('payout', 'show', '--id', sent)
  const held = () => idOf(merchant.send(payout(100_001)))
  await run('request', 'approve', '--id', await held())
  await run('request', 'reject', '--id', await held())
  await run('request', 'list')
  const batch = () => idOf(merchant.prepare({ lines: Array.from({ length: 6 }, () => payout(99_000)) }))
  await run('batch', 'approve', '--id', await batch())
  await run('batch', 'reject', '--id', await batch())
  await run('batch', 'list')
  const of = ['--merchant', String(merchant.tenant.merchant_id)]
  await run('payouts', 'stop', ...of, ...AMA)
  await run('payouts', 'stops')
  await run('payouts', 'resume', ...of, ...AMA)
})

test('destinations, settlements and statements', async () => {
  const account = ['--iban', IBAN, '--name', 'Boutique']
  const { beneficiary_id } = await run('destination', 'create', ...merchant.words, ...account)
  await run('destination', 'designate', ...merchant.words, '--beneficiary', beneficiary_id!)
  await run('beneficiary', 'archive', '--id', beneficiary_id!)
  await run('recipient', 'check', ...merchant.words, '--msisdn', '0500000010', '--name', 'Awa Koné')
  await run('settlement', 'set-minimum', ...merchant.words, '--amount', '1000')
  await run('settlement', 'schedule', ...merchant.words, '--every', 'mon,thu', '--at', '06', '--floor', '50000')
  const settler = await newSettler(installation)
  const first = await idOf(settler.request(5_000))
  await run('settlement', 'list')
  await run('settlement', 'show', '--id', first)
  await run('settlement', 'validate', '--id', first, ...AMA)
  await run('settlement', 'pay', '--id', first, '--bank-reference', 'VIR-1', ...KOFI)
  await run('settlement', 'reject', '--id', await idOf(settler.request(5_000)))
  // It prints a file, by the streams of its own process.
  const period = ['--from', '2026-01-01', '--to', '2026-01-31']
  assert.equal((await runCommand(env, ['statement', ...merchant.words, ...period])).code, 0)
  met.add('statement')
  await run('margin', '--mode', 'live', '--from', '2026-01-01', '--to', '2026-01-31')
})

test('operators and live mode', async () => {
  await using twin = await startTwin()
  const { settings } = twin.connectors().pawapay!
  const folder = await mkdtemp(join(tmpdir(), 'settings-'))
  await writeFile(join(folder, 'pawapay.json'), JSON.stringify(settings))
  const named = ['--name', 'main']
  const file = ['--settings', join(folder, 'pawapay.json')]
  await run('connector', 'set', ...named, '--type', 'pawapay', '--mode', 'test', ...file)
  await rm(folder, { recursive: true })
  await run('connector', 'list')
  await run('connector', 'show', ...named)
  await run('connector', 'check', ...named)
  await run('connector', 'balance', ...named)
  const route = ['--mode', 'test', '--operator', 'mtn_ci', '--direction', 'collect', '--connectors']
  await run('route', 'set', ...route, 'main')
  await run('route', 'list', '--mode', 'test')
  await run('operator', 'weather', '--mode', 'test')
  await run('route', 'set', ...route, 'none')
  await run('connector', 'remove', ...named)
  await assert.rejects(run('live', 'check'), ({ stdout }: { stdout: string }) => {
    assert.equal((JSON.parse(stdout) as { ready: boolean }).ready, false)
    return true
  })
})

test('external accounts and their statements', () => runStatements(run))

test('refunds, anomalies and adjustments', async () => {
  const refund = async () => {
    const payment = await merchant.collect(1_000, { simulate: true })
    return (await run('refund', 'create', '--payment', payment.id, '--manual', ...AMA)).refund_id!
  }
  const first = await refund()
  await run('refund', 'list')
  await run('refund', 'show', '--id', first)
  await run('refund', 'confirm', '--id', first, '--reference', 'R-1', ...KOFI)
  await run('refund', 'cancel', '--id', await refund(), '--reason', 'No longer wanted', ...KOFI)

  const { id: subject, anomaly } = await desk.amountMismatch()
  await installation.db.sql`
    update instructions set sent_at = clock_now() - interval '1 day' where subject_id = ${subject}`
  await run('doubt', 'list')
  await run('doubt', 'show', '--id', subject)
  await run('doubt', 'ask', '--id', subject, ...AMA)
  await run('anomaly', 'open', '--subject', subject, '--reason', 'Silent')
  await run('anomaly', 'list')
  await run('anomaly', 'show', '--id', anomaly.id)
  const propose = ['anomaly', 'propose', '--id', anomaly.id, '--resolution', 'nothing', '--reason', 'A test', ...AMA]
  await run(...propose)
  await run('anomaly', 'refuse', '--id', anomaly.id, ...KOFI)
  await run(...propose)
  await run('anomaly', 'approve', '--id', anomaly.id, ...KOFI)

  const gesture = ['--direction', 'credit', '--amount', '10', '--against', 'fees', '--reason', 'A gesture', ...AMA]
  const adjustment = async () => (await run('adjustment', 'propose', ...merchant.words, ...gesture)).adjustment_id!
  await run('adjustment', 'approve', '--id', await adjustment(), ...KOFI)
  await run('adjustment', 'refuse', '--id', await adjustment(), ...KOFI)
  await run('adjustment', 'list', ...merchant.words)
})

test('acts that wait for a second person', async () => {
  const stand = { installation, sql: installation.db.sql, tenant: merchant.tenant, collector: merchant }
  const shown = await run('deposit', 'match', '--id', (await newShownDeposit(stand)).params.id!, ...KOFI)
  assert.equal(shown.status, 'approved')
  const kinds = {
    ...{ deposit: newProposedDeposit, refund: newProposedRefund },
    ...{ connector: newProposedConnector, route: newProposedRoute },
  }
  for (const [noun, propose] of Object.entries(kinds)) {
    for (const [verb, status, who] of [
      ['approve', 'approved', KOFI],
      ['refuse', 'refused', KOFI],
      ['withdraw', 'withdrawn', AMA],
    ] as const) {
      const { params } = await propose(stand, 'ama@example.com')
      const answer = await run(noun, verb, '--id', params.id!, ...who)
      assert.deepEqual([answer.proposal_id, answer.status], [params.id, status])
    }
  }
})

test('endpoints, calls, links and pages', async () => {
  const { words } = merchant
  const { endpoint_id } = await run('endpoint', 'create', ...words, '--url', 'http://127.0.0.1:9/hooks')
  const { event_id } = await run('endpoint', 'test', '--id', endpoint_id!)
  await run('event', 'list', ...words)
  await run('event', 'replay', ...words, '--event', event_id!)
  const endpoint = ['--endpoint', endpoint_id!]
  await run('endpoint', 'disable', ...words, ...endpoint)
  await run('endpoint', 'enable', ...words, ...endpoint)
  await run('endpoint', 'rotate-secret', ...words, ...endpoint)
  await run('endpoint', 'list')
  await run('delivery', 'list', ...words)
  const [call] = await installation.db.sql<{ request_id: string }[]>`select request_id from request_log limit 1`
  await run('request-log', 'list', ...words)
  await run('request-log', 'show', '--id', call!.request_id)
  const { link_id } = await run('link', 'create', ...words, '--amount', '500')
  await run('link', 'list', ...words)
  await run('link', 'name', '--id', link_id!, '--handle', 'chez-awa')
  await run('link', 'show', '--id', link_id!)
  const till = await run('link', 'create', ...words, '--min', '100', '--max', '500', '--reusable')
  const { phone_id } = await run('till', 'invite', '--id', till.link_id!, '--name', 'Awa')
  await run('till', 'list', '--id', till.link_id!)
  await run('till', 'end', '--id', phone_id!)
  const { address: origin, secret_key } = installation.services[0]!
  const deps = peopleDeps(installation.db.sql, { origin, secret_key, clock: createClock() })
  const { person_id } = await newPerson(deps, { merchant_id: merchant.tenant.merchant_id, roles: ['cashier'] })
  const cashier = ['--id', till.link_id!, '--person', person_id, ...KOFI]
  await run('till', 'assign', ...cashier)
  await run('till', 'release', ...cashier)
  await run('link', 'close', '--id', link_id!)
  const { key } = merchant.merchant
  const session = installation.ask({ method: 'POST', path: '/v1-checkout', key, body: { amount: 500 } })
  await run('session', 'close', '--id', await idOf(session))
  await run('session', 'list', ...words)
})

test('people', async () => {
  const { merchant_id } = merchant.tenant
  const of = ['--merchant', String(merchant_id)]
  const awa = ['--email', 'awa@example.com', '--role', 'viewer']
  const { person_id } = await run('person', 'invite', ...of, ...awa, ...KOFI)
  await run('person', 'list', ...of)
  // A role that an owner grants in the console waits for a second person.
  await installation.db.sql`
    insert into person_roles (person_id, merchant_id, role, granted_by, needs_confirmation)
    values (${person_id!}, ${merchant_id}, 'approver', 'owner@example.com', true)`
  await run('person', 'confirm', ...of, '--id', person_id!, '--role', 'approver', ...AMA)
  await run('person', 'reset', '--id', person_id!, ...AMA)
  await run('person', 'disable', '--id', person_id!, ...AMA)
})

test('the tests above cover every command', async () => {
  const names = (await allCommands()).flatMap(({ commands }) => commands.map(({ name }) => name))
  assert.deepEqual(
    names.filter((name) => !met.has(name) && ![...streams, ...embedded, 'live check'].includes(name)),
    [],
  )
})
