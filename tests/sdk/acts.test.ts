import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bandama } from '../../sdk/typescript/src/index.ts'
import { clientOf, failureOf } from './scripted-client.ts'
import { cut, json, openScripted, refusal, type Step } from './scripted-server.ts'

// Acts without a key, whose answer is lost: a program hears that they were done only if they were. When they are sent again is in
// conformance/calls.test.ts.

const read = (object: string, status: string, more = {}): Step => json(200, { id: 'x_1', object, status, ...more })

type Act = { name: string; path: string; at: string; call: (client: Bandama) => Promise<{ status: string }> }
const cancelled = { failure_code: 'cancelled' }

const acts: (Act & { object: string; done: [string, object?][]; not: [string, object?][] })[] = [
  {
    ...{ name: 'batches.execute', path: '/v1-payout-batches/x_1/execute', at: '/v1-payout-batches/x_1' },
    call: ({ batches }) => batches.execute('x_1'),
    ...{ object: 'payout_batch', not: [['annule'], ['en_attente_validation'], ['of tomorrow']] },
    done: [['en_cours'], ['termine'], ['termine_avec_erreurs']],
  },
  {
    ...{ name: 'batches.cancel', path: '/v1-payout-batches/x_1/cancel', at: '/v1-payout-batches/x_1' },
    call: ({ batches }) => batches.cancel('x_1'),
    ...{ object: 'payout_batch', done: [['annule']], not: [['en_cours'], ['termine']] },
  },
  {
    ...{ name: 'payouts.cancel', path: '/x/payouts/x_1/cancel', at: '/v1-payouts/x_1' },
    call: ({ payouts }) => payouts.cancel('x_1'),
    ...{ object: 'payout', done: [['failed', cancelled]] },
    not: [['processing'], ['succeeded'], ['failed', { failure_code: 'operator_refused' }]],
  },
  {
    ...{ name: 'payments.cancel', path: '/x/payments/x_1/cancel', at: '/v1-payments/x_1' },
    call: ({ payments }) => payments.cancel('x_1'),
    ...{ object: 'payment', done: [['failed', cancelled]], not: [['pending'], ['succeeded']] },
  },
  {
    ...{ name: 'links.close', path: '/x/links/x_1/close', at: '/x/links/x_1' },
    call: ({ links }) => links.close('x_1'),
    ...{ object: 'payment_link', done: [['closed']], not: [['paid'], ['expired']] },
  },
]

for (const { name, path, at, call, object, done, not } of acts) {
  test(`${name} whose answer is lost succeeds only in the states that prove that it was done`, async () => {
    const proves = async ([status, more]: [string, object?]) => {
      await using server = await openScripted(cut, read(object, status, more))
      assert.equal((await call(clientOf(server.url))).status, status)
      assert.deepEqual(
        server.got.map((got) => `${got.method} ${got.path}`),
        [`POST ${path}`, `GET ${at}`],
      )
    }
    const leavesOpen = async ([status, more]: [string, object?]) => {
      const other = read(object, status, more)
      await using server = await openScripted(cut, other, refusal(409, 'too_late'), other)
      const { kind, code, mayHaveHappened } = await failureOf(call(clientOf(server.url)))
      assert.deepEqual([kind, code, mayHaveHappened], ['refused', 'too_late', true], status)
      assert.equal(server.got.length, 4)
    }
    await Promise.all([...done.map(proves), ...not.map(leavesOpen)])
  })
}

test('an act that can neither be read nor sent again fails as it did first', async () => {
  await using server = await openScripted(cut, refusal(403, 'forbidden'))
  const { kind, mayHaveHappened } = await failureOf(clientOf(server.url, { retries: 0 }).payouts.cancel('x_1'))
  assert.deepEqual([kind, mayHaveHappened, server.got.length], ['no_answer', true, 2])
})
