import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { derivedKey } from '../../src/platform/config.ts'
import { Secret } from '../../src/values/secret.ts'
import { type Installation, newAddress, newPayer, openInstallation } from '../harness/installation.ts'
import { addLink } from './payer.ts'

// Many people, and an operator, behind one address. The limits of pages are the default ones; that of all other calls is low, to be met soon.

const RATE = 40

let installation: Installation
before(async () => {
  installation = await openInstallation({
    env: { RATE_PER_ADDRESS: String(RATE), PAGE_ATTEMPTS_PER_ADDRESS: '300', PAGE_GUESSES_PER_ADDRESS: '20' },
    processes: [['--only', 'api']],
  })
})
after(() => installation[Symbol.asyncDispose]())

function callFrom(address: string) {
  return async (path: string, init: RequestInit = {}) => {
    const headers = { 'x-forwarded-for': address, accept: 'application/json', ...init.headers }
    const url = new URL(path, installation.services[0]!.address)
    const answer = await fetch(url, { redirect: 'manual', ...init, headers })
    return { status: answer.status, text: await answer.text() }
  }
}

const post = (body: string, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json', ...headers },
})

test('150 payers behind one address pay on one link within a minute, and none of them reads 429', async () => {
  const { merchant_id } = await installation.newMerchant()
  const { path } = await addLink(installation, merchant_id, { kind: 'fixed', amount: 700 })
  const call = callFrom(newAddress())
  const statuses = new Map<number, number>()
  const asked = async (...of: Parameters<typeof call>) => {
    const answer = await call(...of)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    return answer
  }
  async function payer(): Promise<void> {
    const msisdn = newPayer()
    const { nonce } = JSON.parse((await asked(path)).text) as { nonce: string }
    await asked(`${path}/operator`, post(JSON.stringify({ nonce, msisdn })))
    const paid = await asked(path, post(JSON.stringify({ nonce, msisdn, operator: 'orange_ci' })))
    const { address } = JSON.parse(paid.text) as { address: string }
    for (let looks = 0; looks < 3; looks += 1) await asked(address)
  }
  for (let at = 0; at < 150; at += 10) await Promise.all(Array.from({ length: 10 }, payer))
  assert.deepEqual([...statuses], [[200, 150 * 6]])
})

test('every other address keeps the limit, unknown ones too', async () => {
  for (const path of ['/nowhere', '/payments', '/pay', '/pay/a/b/c', '/console/sign-in', '/v1-payments/txn_1']) {
    const call = callFrom(newAddress())
    let refused = false
    for (let calls = 0; calls < 2 * RATE + 2 && !refused; calls += 1) refused = (await call(path)).status === 429
    assert.ok(refused, path)
  }
})

test('callbacks with the right signature count for nobody, and forged ones do', async () => {
  const key = derivedKey(new Secret(installation.secret_key), 'simulator callbacks')
  const call = callFrom(newAddress())
  const callback = '/operators/simulator/callbacks'
  const text = JSON.stringify({ reference: '01900000-0000-7000-8000-000000000000', time: 7 })
  const signature = createHmac('sha256', key).update(text).digest('hex')
  for (let calls = 0; calls < 2 * RATE + 2; calls += 1) {
    const answer = await call(callback, post(text, { 'X-Simulator-Signature': signature }))
    assert.equal(answer.status, 200, answer.text)
  }
  assert.equal((await call('/nowhere')).status, 404)
  const forged = []
  for (let calls = 0; calls < 2 * RATE + 2; calls += 1) {
    forged.push((await call(callback, post(text, { 'X-Simulator-Signature': 'no' }))).status)
  }
  assert.ok(forged.includes(401) && forged.includes(429), forged.join())
})
