import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { actor } from '../harness/actor.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { paySettlement, rejectSettlement, validateSettlement } from '../harness/settlements.ts'
import { waitFor } from '../harness/wait-for.ts'
import { refused } from './commands.ts'
import { PATIENCE } from './sender.ts'
import { checkSettlement, newSettler, type Settler } from './settler.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'lists the settlements of all merchants' })
})
after(() => installation[Symbol.asyncDispose]())

const settlement = (...words: string[]) => installation.bandama('settlement', ...words)

/** Makes the decisions without a process for each, because the commands only call them. */
const decide = {
  deps: () => {
    const { sql } = installation.db
    return { sql, clock: createClock() }
  },
  validate: (id: string, by: string) => validateSettlement(decide.deps(), id, actor(by)),
  pay: (id: string, by: string, reference: string) => paySettlement(decide.deps(), id, actor(by), reference),
  reject: (id: string, by: string, reason: string | null = null) =>
    rejectSettlement(decide.deps(), id, actor(by), reason),
}

async function ask(settler: Settler, amount = 5_000): Promise<string> {
  return checkSettlement(await settler.request(amount), 202).id
}

/** Returns a refusal's code, or the new status. */
function outcome(result: Awaited<ReturnType<typeof decide.pay | typeof decide.reject>>): string {
  return result.kind === 'moved' ? result.settlement.status : result.code
}

test('a metric shows how long a settlement has waited for people', async () => {
  await ask(await newSettler(installation))
  const port = await freePort()
  const worker = await installation.start({ args: ['--only', 'worker'], env: { METRICS_PORT: String(port) } })
  const figures = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  await waitFor(
    async () => /^bandama_waiting_for_people_seconds\{kind="settlements"\} [\d.]*[1-9]/m.test(await figures()),
    {
      ...PATIENCE,
      what: 'the figure',
    },
  )
  await worker.stop()
})

test('commands print what they did, and the current state when repeated', async () => {
  const settler = await newSettler(installation)
  const id = await ask(settler)
  const pay = (...more: string[]) => settlement('pay', '--id', id, '--as', 'issa@example.com', ...more)
  await refused(pay(), /--bank-reference is missing/, 2)
  await refused(pay('--bank-reference', '  '), /--bank-reference has 1 to 140 characters/, 2)
  await refused(pay('--bank-reference', 'VIR-1'), new RegExp(`${id} waits to be validated`))
  await settlement('validate', '--id', id, '--as', 'Awa@Example.com')
  const again = settlement('validate', '--id', id, '--as', 'issa@example.com')
  await refused(again, new RegExp(`${id} was validated already, by awa@example.com at 20.*Z`))
  await refused(
    settlement('pay', '--id', id, '--as', ' AWA@example.com ', '--bank-reference', 'VIR-1'),
    /Two people pay a settlement\. The one who validated it \(awa@example\.com\)/,
  )
  await pay('--bank-reference', 'VIR-1')
  await refused(
    pay('--bank-reference', 'VIR-1'),
    new RegExp(`${id} is paid: transfer VIR-1, entered by issa@example.com`),
  )
  await refused(settlement('reject', '--id', id, '--as', 'chef@example.com'), /is paid: transfer VIR-1/)
  await refused(settlement('validate', '--id', id, '--as', 'chef@example.com'), /is paid: transfer VIR-1/)

  const rejected = await ask(settler)
  await settlement('reject', '--id', rejected, '--as', 'awa@example.com')
  await refused(
    settlement('pay', '--id', rejected, '--as', 'issa@example.com', '--bank-reference', 'VIR-2'),
    /was rejected by awa@example\.com at 20.*Z\. The amount went back/,
  )
  for (const verb of ['validate', 'reject', 'show']) {
    await refused(
      settlement(verb, '--id', 'stl_1', ...(verb === 'show' ? [] : ['--as', 'a@example.com'])),
      /There is no settlement stl_1/,
    )
  }
})

test('two people: neither a key nor the validator can pay, in any spelling', async () => {
  const settler = await newSettler(installation)
  const id = await ask(settler)
  const [row] = await installation.db.sql<{ made_by: string }[]>`select made_by from settlements where id = ${id}`
  assert.match(row!.made_by, /^key:/)
  for (const key of [row!.made_by, row!.made_by.toUpperCase(), 'key:another', 'Key:x', ' key:x']) {
    assert.equal(outcome(await decide.validate(id, key)), 'same_person', key)
    assert.equal(outcome(await decide.reject(id, key)), 'same_person', key)
  }
  for (const nobody of ['', '  ', 'x'.repeat(201)]) {
    await refused(settlement('validate', '--id', id, '--as', nobody), /--as must name a person/, 2)
  }
  assert.equal(outcome(await decide.validate(id, 'Awa@example.com')), 'validated')
  const same = ['awa@example.com', 'AWA@EXAMPLE.COM', '\tawa@example.com ', 'ａｗａ@example.com', 'key:another']
  for (const by of same) assert.equal(outcome(await decide.pay(id, by, 'VIR-9')), 'same_person', by)
  assert.equal(outcome(await decide.pay(id, 'issa@example.com', 'VIR-9')), 'paid')
})

test('one bank transfer pays one settlement of a merchant, in every spelling of its reference', async () => {
  const settler = await newSettler(installation)
  const [first, second] = [await ask(settler), await ask(settler)]
  for (const id of [first, second]) await decide.validate(id, 'awa@example.com')
  assert.equal(outcome(await decide.pay(first, 'issa@example.com', 'Vir 2026-0001')), 'paid')
  for (const written of ['Vir 2026-0001', 'VIR2026-0001', ' vir\t2026-0001 ', 'ＶＩＲ2026-0001']) {
    const result = await decide.pay(second, 'issa@example.com', written)
    assert.deepEqual(result, { kind: 'refused', code: 'bank_reference_used', fillings: { paid_id: first } }, written)
  }
  await refused(
    settlement('pay', '--id', second, '--as', 'issa@example.com', '--bank-reference', 'vir 2026-0001'),
    new RegExp(`already entered for the settlement ${first}`),
  )
  const { settlements_in_flight } = await settler.balances()
  assert.equal(settlements_in_flight, 5_000, 'a refused entry moves nothing')
  for (const wrong of ['', ' ', 'x'.repeat(141), 'a\u0007b', 'a\u202eb']) {
    assert.equal(outcome(await decide.pay(second, 'issa@example.com', wrong)), 'unreadable')
  }
  assert.equal(outcome(await decide.pay(second, 'issa@example.com', 'Vir 2026-0002')), 'paid')
  // Another merchant's bank may use the same one.
  const other = await newSettler(installation)
  const theirs = await ask(other)
  await decide.validate(theirs, 'awa@example.com')
  assert.equal(outcome(await decide.pay(theirs, 'issa@example.com', 'Vir 2026-0001')), 'paid')
})

test('a deactivated merchant’s settlement goes on waiting, is not validated, and a transfer that was made is still entered', async () => {
  const settler = await newSettler(installation)
  const [made, waiting] = [await ask(settler), await ask(settler)]
  await decide.validate(made, 'awa@example.com')
  await installation.bandama('merchant', 'deactivate', '--merchant', String(settler.tenant.merchant_id))
  assert.equal(outcome(await decide.validate(waiting, 'awa@example.com')), 'merchant_inactive')
  await refused(settlement('validate', '--id', waiting, '--as', 'awa@example.com'), /is deactivated.*keeps waiting/)
  assert.equal(outcome(await decide.pay(made, 'issa@example.com', 'VIR-1')), 'paid')
  assert.equal(outcome(await decide.reject(waiting, 'awa@example.com')), 'rejected')
})

test('a reason is one line of at most 500 characters', async () => {
  const settler = await newSettler(installation)
  const id = await ask(settler)
  for (const wrong of ['', ' ', 'x'.repeat(501), 'two\nlines']) {
    assert.equal(outcome(await decide.reject(id, 'awa@example.com', wrong)), 'unreadable')
  }
  await refused(settlement('reject', '--id', id, '--as', 'awa@example.com', '--reason', ''), /--reason has 1 to 500/, 2)
  assert.equal(outcome(await decide.reject(id, 'awa@example.com', 'x'.repeat(500))), 'rejected')
})

type Listed = { settlements: { settlement_id: string; status: string; made_by: string; account?: string }[] }

test('the staff’s list has the settlements that wait, oldest first, of all merchants or of one', async () => {
  const settler = await newSettler(installation)
  const ids = [await ask(settler), await ask(settler), await ask(settler), await ask(settler)] as const
  await decide.validate(ids[1], 'awa@example.com')
  await decide.reject(ids[2], 'awa@example.com')
  await ask(await newSettler(installation))
  const list = async (...words: string[]) => ((await settlement('list', ...words)) as Listed).settlements
  const ours = await list(...settler.words)
  assert.deepEqual(
    ours.map(({ settlement_id, status }) => [settlement_id, status]),
    [
      [ids[0], 'pending_validation'],
      [ids[1], 'validated'],
      [ids[3], 'pending_validation'],
    ],
  )
  const everybodys = (await list()).map(({ settlement_id }) => settlement_id)
  for (const { settlement_id } of ours) assert.ok(everybodys.includes(settlement_id))
  assert.ok(everybodys.length > ours.length, 'others wait too')
  assert.deepEqual(await list('--merchant', String(settler.tenant.merchant_id), '--mode', otherMode), [])
  await refused(settlement('list', '--mode', mode), /Give --merchant and --mode together/, 2)
})
