import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Installation, newAddress, openInstallation, payment } from '../harness/installation.ts'
import { revokeKey } from '../harness/keys.ts'
import type { Merchant } from '../harness/merchant.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment, checkRefusal, codeOf } from './answers.ts'
import type { Asked } from './ask.ts'

const HOME = '192.0.2.10'
const caller = (address: string) => ({ 'X-Forwarded-For': address })

let installation: Installation
let merchant: Merchant
before(async () => {
  installation = await openInstallation({ processes: [[], ['--only', 'api']] })
  merchant = await installation.newMerchant()
})
after(() => installation[Symbol.asyncDispose]())

type KeyCommand = { key_id: string; key: string; scope: string; livemode: boolean }

async function createKey(merchant_id: number, mode: string, scope: string, ...allow: string[]): Promise<KeyCommand> {
  const words = ['--merchant', String(merchant_id), '--mode', mode, '--scope', scope]
  const made = await installation.bandama('key', 'create', ...words, ...allow.flatMap((block) => ['--allow', block]))
  return made as KeyCommand
}

test('a command makes a key of each mode and scope', async () => {
  const { merchant_id } = await installation.bandama('merchant', 'create', '--name', 'Boutique')
  for (const mode of ['test', 'live']) {
    for (const scope of ['collect', 'payout']) {
      const made = await createKey(merchant_id as number, mode, scope)
      assert.match(made.key, new RegExp(`^bdm_sk_${mode}_[0-9a-z]{71}$`))
      assert.deepEqual([made.livemode, made.scope], [mode === 'live', scope])
      assert.equal((await installation.ask({ path: '/x/operators', key: made.key })).status, 200)
    }
  }
})

/** Calls both processes without pause until they answer with `code`, and checks that it took them a second at most. */
async function checkWithinASecond(asked: () => Asked, code: string | null): Promise<void> {
  const changed = performance.now()
  await Promise.all(
    installation.services.map(async (_, process) => {
      let lastOld = changed
      await waitFor(
        async () => {
          const began = performance.now()
          const isNew = codeOf(await installation.ask(asked(), process)) === code
          if (!isNew) lastOld = began
          return isNew
        },
        { what: `${code} in process ${process}` },
      )
      assert.ok(lastOld - changed < 1_000, `process ${process} took ${Math.round(lastOld - changed)} ms`)
    }),
  )
}

test('a revoked key is refused within a second, in every process', async () => {
  const { key, key_id } = await merchant.newKey('test', 'collect')
  for (const process of [0, 1]) checkPayment(await installation.ask(payment(key, { amount: 100 }), process), 201)
  assert.deepEqual(await installation.bandama('key', 'revoke', '--key-id', key_id), { key_id, revoked: true })
  await checkWithinASecond(() => payment(key, { amount: 100 }), 'invalid_api_key')
  for (const process of [0, 1]) {
    checkRefusal(await installation.ask(payment(key, { amount: 100 }), process), 401, 'invalid_api_key')
  }
})

test('a revoked key unused since is refused after a second, at its first call', async () => {
  const { key, key_id } = await merchant.newKey('test', 'collect')
  for (const process of [0, 1]) checkPayment(await installation.ask(payment(key, { amount: 100 }), process), 201)
  await revokeKey(installation.db.sql, key_id)
  // The promise is one second, and no state shows that it has passed.
  await setTimeout(1_000)
  for (const process of [0, 1]) {
    checkRefusal(await installation.ask(payment(key, { amount: 100 }), process), 401, 'invalid_api_key')
  }
})

test('a deactivated merchant reads and does not collect, within a second; activated, it collects again', async () => {
  const { merchant_id, key } = await installation.newMerchant()
  const words = ['--merchant', String(merchant_id)]
  const { id } = checkPayment(await installation.pay(key, { amount: 100 }), 201)
  checkPayment(await installation.read(key, id, 1), 200)
  assert.deepEqual(await installation.bandama('merchant', 'deactivate', ...words), { merchant_id, active: false })
  await checkWithinASecond(() => payment(key, { amount: 100 }), 'merchant_inactive')
  for (const process of [0, 1]) {
    checkRefusal(await installation.ask(payment(key, { amount: 100 }), process), 403, 'merchant_inactive')
    checkPayment(await installation.read(key, id, process), 200)
  }
  await installation.bandama('merchant', 'activate', ...words)
  await checkWithinASecond(() => payment(key, { amount: 100 }), null)
})

test('a key works only from its addresses, and its last refusal is recorded', async () => {
  const { key, key_id } = await createKey(
    merchant.merchant_id,
    'test',
    'collect',
    '198.51.100.0/24',
    '2001:db8::/32',
    '203.0.113.7',
  )
  const from = (address: string) => payment(key, { amount: 100 }, { headers: caller(address) })
  for (const address of ['198.51.100.1', '198.51.100.255', '203.0.113.7', '2001:db8::1', '::ffff:198.51.100.9']) {
    checkPayment(await installation.ask(from(address)), 201, {}, address)
  }
  for (const address of ['198.51.101.1', '203.0.113.8', '2001:db9::1', HOME]) {
    checkRefusal(await installation.ask(from(address)), 401, 'invalid_api_key', address)
  }
  const refusal = await waitFor(
    async () => {
      const [row] = await installation.db.sql<{ address: string | null; fresh: boolean }[]>`
        select host(last_refused_address) as address, last_refused_at > clock_now() - interval '1 minute' as fresh
          from api_keys where key_id = ${key_id}`
      return row!.address === HOME && row
    },
    { what: 'the refusal to be kept' },
  )
  assert.equal(refusal.fresh, true)

  const moved = newAddress()
  await installation.bandama('key', 'restrict', '--key-id', key_id, '--allow', moved)
  await checkWithinASecond(() => from(HOME), 'invalid_api_key')
  await checkWithinASecond(() => from(moved), null)
  await installation.bandama('key', 'restrict', '--key-id', key_id)
  await checkWithinASecond(() => from(HOME), null)
})

test("the caller's address is the connection's, whatever the headers say, unless a trusted proxy stands between", async () => {
  await using open = await openInstallation({ env: { TRUST_PROXY: '' } })
  const { newKey } = await open.newMerchant()
  const { key } = await newKey('test', 'collect', ['198.51.100.0/24'])
  const home = await newKey('test', 'collect', ['127.0.0.1'])
  for (const written of ['198.51.100.1', '198.51.100.1, 127.0.0.1', '127.0.0.1, 198.51.100.1']) {
    const headers = { ...caller(written), Forwarded: `for=${written}`, 'X-Real-IP': written }
    checkRefusal(await open.ask(payment(key, { amount: 100 }, { headers })), 401, 'invalid_api_key', written)
    checkPayment(await open.ask(payment(home.key, { amount: 100 }, { headers })), 201, {}, written)
  }
})

test('a command with wrong arguments explains them on standard error and fails', async () => {
  const wrong: [words: string[], message: RegExp][] = [
    [['key', 'create', '--merchant', '999999', '--mode', 'test', '--scope', 'collect'], /There is no such merchant/],
    [['key', 'create', '--merchant', '1', '--mode', 'prod', '--scope', 'collect'], /--mode must be test or live/],
    [['key', 'revoke', '--key-id', 'nobody'], /There is no key nobody/],
    [['merchant', 'deactivate', '--merchant', '999999'], /There is no merchant 999999/],
    [
      ['endpoint', 'create', '--merchant', '999999', '--mode', 'test', '--url', 'http://127.0.0.1:9/'],
      /There is no such merchant/,
    ],
  ]
  const check = async ([words, message]: (typeof wrong)[number]) =>
    assert.rejects(installation.bandama(...words), (error: { code: number; stdout: string; stderr: string }) => {
      assert.ok(error.code === 1 || error.code === 2, words.join(' '))
      assert.equal(error.stdout, '')
      assert.match(error.stderr, message)
      assert.doesNotMatch(error.stderr, /\n\s+at /, 'a sentence, not a trace')
      return true
    })
  await Promise.all(wrong.map(check))
})
