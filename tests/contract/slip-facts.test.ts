import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import type { MerchantRole, StaffRole } from '../../src/values/rights.ts'
import { actor } from '../harness/actor.ts'
import { logIn, runCommand, runUntilCode } from '../harness/command-line.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { createKey } from '../harness/keys.ts'
import { mode } from '../harness/mode.ts'
import { newPerson, peopleDeps } from '../harness/people.ts'
import { openAnomalyDesk } from './anomaly-desk.ts'
import { IBAN } from './book.ts'
import { type Collector, newCollector } from './collector.ts'
import { inline, newNumber, payout } from './sender.ts'
import { newSettler, type Settler } from './settler.ts'
import { agree, openTerminals, plain, type Terminals } from './terminals.ts'

// A person who confirms a command sees its subject, not only its id: the money, the recipient and the merchant. The proof is bound to it.

const LONE = 'ama@example.com'

let installation: Installation
let terminals: Terminals
let collector: Collector
let settler: Settler
before(async () => {
  installation = await openInstallation()
  terminals = openTerminals(installation)
  collector = await newCollector(installation)
  settler = await newSettler(installation)
})
after(async () => {
  await terminals[Symbol.asyncDispose]()
  await installation[Symbol.asyncDispose]()
})

const bandama = (...words: string[]) => installation.bandama(...words)
const idOf = ({ json }: { json: () => unknown }) => (json() as { id: string }).id

/** Reads the proof of the last act of this name. */
async function proofOf(act: string): Promise<{ signed: { content: Record<string, unknown> } }> {
  const [row] = await installation.db.sql<{ content: { signed: { content: Record<string, unknown> } } }[]>`
    select s.content::jsonb as content
      from audit_log l join step_ups s on s.step_up_id = l.step_up_id
     where l.act = ${act}
     order by l.at desc
     limit 1`
  return row!.content
}

test('the step-up of a settlement shows the amount, the account and the merchant, and the proof stores them', async () => {
  const id = idOf(await settler.request(40_000))
  const person = await terminals.newHolder({ staff_roles: ['finance'] })
  const env = await terminals.newTerminal()
  await terminals.logIn(person, env)
  const { code, ended } = await runUntilCode(env, ['settlement', 'validate', '--id', id])
  const { ask, done } = await agree(person, code)
  assert.equal(done.status, 303)
  const { merchant_id } = settler.tenant
  assert.match(
    plain(ask),
    /40.000 F.CFA .*Destinataire Boutique, compte bancaire ••.0589 Marchand .+ \(\d+\) Demandé par une clé du marchand/,
  )
  assert.ok(plain(ask).includes(`(${merchant_id})`))
  assert.ok(!ask.text.includes(IBAN.slice(4, -4)))
  // The command names no mode, so the mode of its subject counts.
  assert.equal(/<span class="tag care">Argent réel/.test(ask.text), mode === 'live')
  assert.equal((await ended).code, 0)
  const { amount, merchant_id: of, livemode } = (await proofOf('settlement.validate')).signed.content
  assert.deepEqual([amount, of, livemode], [40_000, merchant_id, mode === 'live'])
})

test('the step-up of a settlement says that its destination is no longer the designated one', async () => {
  const moved = await newSettler(installation)
  const id = idOf(await moved.request(5_000))
  await moved.designate(await moved.newWallet(newNumber()))
  const person = await terminals.newHolder({ staff_roles: ['finance'] })
  const env = await terminals.newTerminal()
  await terminals.logIn(person, env)
  const { code, ended } = await runUntilCode(env, ['settlement', 'validate', '--id', id])
  const { ask } = await agree(person, code)
  assert.match(plain(ask), /Destination aujourd’hui une autre est désignée depuis/)
  assert.equal((await ended).code, 0)
})

test('a refund is not made if its payment was partly refunded meanwhile, although the person confirmed', async () => {
  const { id } = await collector.collect(10_000, { simulate: true })
  const person = await terminals.newHolder({ staff_roles: ['finance'] })
  const env = await terminals.newTerminal()
  await terminals.logIn(person, env)
  const { code, ended } = await runUntilCode(env, ['refund', 'create', '--payment', id])
  const part = await bandama('refund', 'create', '--payment', id, '--amount', '1000', '--as', LONE)
  assert.equal(part.amount, 1_000)
  const { ask } = await agree(person, code)
  assert.match(plain(ask), /10.000 F.CFA .*Paiement d’origine 10.000 F.CFA Déjà rendu ou en route 0 F.CFA/)
  const { code: exit, said } = await ended
  assert.equal(exit, 1)
  assert.match(said, /The subject of this command has changed since you were asked\. Nothing was done\./)
  const { refunds } = await bandama('refund', 'list', '--payment', id)
  assert.deepEqual(
    (refunds as { amount: number }[]).map(({ amount }) => amount),
    [1_000],
  )
})

/** Signs in at a terminal, and returns the output of a command before it asks for the telephone's code. */
async function newAsker(roles: { merchant_id?: number; roles?: MerchantRole[]; staff_roles?: StaffRole[] }) {
  const { address: origin, secret_key } = installation.services[0]!
  const { sql } = installation.db
  const person = await newPerson(peopleDeps(sql, { origin, secret_key, clock: createClock() }), roles)
  await sql`update person_totp set last_step = null`
  const env = await terminals.newTerminal()
  assert.equal((await logIn(env, person)).code, 0)
  return async (...words: string[]): Promise<string> => {
    const { code, said } = await runCommand(env, words)
    assert.equal(code, 2, said)
    assert.match(said, /You confirm: [\s\S]*A new code of the phone: The input ended/)
    return said
  }
}

test('a command that asks for a code shows staff the money that they move', async () => {
  const { words, tenant } = collector
  const said = await newAsker({ staff_roles: ['finance', 'operations'] })
  const held = new RegExp(`Merchant: .+ \\(${tenant.merchant_id}\\)\\n[\\s\\S]*Mode: ${mode}\\n`)
  const check = async (expected: RegExp, ...command: string[]) => {
    const text = await said(...command)
    assert.match(text, expected)
    assert.match(text, held, command.join(' '))
  }
  await check(/Amount: 12.000.F.CFA/, 'deposit', ...words, '--amount', '12000')

  const sum = ['--direction', 'credit', '--amount', '700', '--against', 'fees', '--reason', 'Frais en double']
  const { adjustment_id } = await bandama('adjustment', 'propose', ...words, ...sum, '--as', LONE)
  const adjusted =
    /Amount: 700.F.CFA[\s\S]*Direction: more is owed to the merchant\n.*Booked against: fees\n.*Reason: Frais en double\n.*Requested by: ama@/
  await check(adjusted, 'adjustment', 'approve', '--id', String(adjustment_id))

  const { id: payment } = await collector.collect(9_000, { simulate: true })
  const part = ['--amount', '2000', '--manual', '--as', LONE]
  const { refund_id } = await bandama('refund', 'create', '--payment', payment, ...part)
  await check(
    /Amount: 500.F.CFA[\s\S]*on its way: 2.000.F.CFA/,
    'refund',
    'create',
    '--payment',
    payment,
    '--amount',
    '500',
  )
  const proof = ['--id', String(refund_id), '--reference', 'VIR-7']
  await check(/Amount: 2.000.F.CFA/, 'refund', 'confirm', ...proof)

  const { anomaly } = await openAnomalyDesk(installation, collector).amountMismatch()
  const way = ['--resolution', 'as_proven', '--amount', '1001', '--reason', 'Le relevé le montre', '--as', LONE]
  await bandama('anomaly', 'propose', '--id', anomaly.id, ...way)
  await check(/Amount: 1.001.F.CFA[\s\S]*Resolution: as_proven/, 'anomaly', 'approve', '--id', anomaly.id)

  const of = ['--merchant', String(tenant.merchant_id)]
  await bandama('payouts', 'stop', ...of, '--as', LONE)
  const first = await said('payouts', 'resume', ...of)
  assert.match(
    first,
    /Merchant: .+\n.*Stopped by: ama@example.com\n {2}Note: You are the first person.*\nA new code/,
    'the first of two people',
  )
  await bandama('payouts', 'resume', ...of, '--as', 'kofi@example.com')
  assert.match(await said('payouts', 'resume', ...of), /Requested by: kofi@example.com\n/, 'the second lifts the stop')
  await bandama('payouts', 'resume', ...of, '--as', LONE)
})

test('a command that asks for a code shows the person whose roles or factors change', async () => {
  const said = await newAsker({ staff_roles: ['administrator'] })
  const { person_id, email } = await terminals.newHolder({ staff_roles: ['finance'] })
  await letWait(person_id)
  const roles: readonly string[][] = [['confirm', '--role', 'finance'], ['reset'], ['disable']]
  for (const [verb, ...more] of roles) {
    assert.ok((await said('person', verb!, '--id', person_id, ...more)).includes(`  Person: ${email}\n`))
  }
  const { merchant_id } = collector.tenant
  const owner = await newAsker({ merchant_id, roles: ['owner'] })
  const maker = await terminals.newHolder({ merchant_id, roles: ['maker'] })
  const confirm = (id: string) =>
    owner('person', 'confirm', '--id', id, '--role', 'maker', '--merchant', String(merchant_id))
  await letWait(maker.person_id)
  assert.ok((await confirm(maker.person_id)).includes(`  Person: ${maker.email}\n`))
  await assert.rejects(confirm(person_id), /has no such role/, 'staff are no members of the merchant')
})

/** Makes the roles of a person wait for their second person. */
const letWait = (person_id: string) => installation.db.sql`
  update person_roles set needs_confirmation = true, break_glass = false, granted_by = 'ada@example.ci'
   where person_id = ${person_id}`

test('a command that asks for a code shows a merchant’s people the money that they move, with only the end of a number', async () => {
  const { tenant, words } = collector
  const said = await newAsker({ merchant_id: tenant.merchant_id, roles: ['owner', 'approver'] })
  await collector.deposit(1_000_000)
  await bandama('caps', 'set', ...words, '--operation', '100000', '--day', '120000', '--as', LONE)
  const beneficiary = inline()
  const request = idOf(await collector.send({ amount: 100_001, beneficiary }))
  const text = await said('request', 'approve', '--id', request)
  const { msisdn } = beneficiary
  assert.match(text, /Amount: 100.001.F.CFA\n.*Recipient: Awa Koné, Orange Money ••.12.34\n.*Merchant: /)
  assert.ok(!text.includes(msisdn) && !text.includes(msisdn.slice(1)))

  const lines = [payout(60_000), payout(70_000)]
  const batch = idOf(await collector.prepare({ lines }))
  assert.match(await said('batch', 'approve', '--id', batch), /Amount: 130.000.F.CFA\n.*Payments of the batch: 2\n/)

  const { beneficiary_id } = await bandama('destination', 'create', ...words, '--iban', IBAN, '--name', 'Caisse')
  const designate = await said('destination', 'designate', ...words, '--beneficiary', String(beneficiary_id))
  assert.match(designate, /Account or number: CI93 .* 0589\n.*Holder: Caisse\n.*Merchant: /)
  const wanted = { key_prefix: 'bdm', scope: 'payout', needs_confirmation: true } as const
  const { key_id } = await createKey(installation.db.sql, tenant, wanted, actor('koffi@example.com'))
  const confirmed = await said('key', 'confirm', ...words, '--key-id', key_id)
  assert.match(confirmed, /Merchant: .*\n.*Can: Send money\n.*Requested by: koffi@example\.com\n.*Addresses: any\n/s)
})
