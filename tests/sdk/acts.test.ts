import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bandama } from '../../sdk/typescript/src/index.ts'
import { clientOf, failureOf } from './scripted-client.ts'
import { cut, json, openScripted, refusal, type Step } from './scripted-server.ts'

// Acts without a key, whose answer is lost: a program hears that they were done only if they were.

const read = (object: string, status: string, more = {}): Step => json(200, { id: 'x_1', object, status, ...more })

type Act = { name: string; path: string; at: string; call: (client: Bandama) => Promise<{ status: string }> }
const cancelled = { failure_code: 'cancelled' }

const acts: (Act & { object: string; before: string; done: [string, object?][]; not: [string, object?][] })[] = [
  {
    ...{ name: 'batches.execute', path: '/v1-payout-batches/x_1/execute', at: '/v1-payout-batches/x_1' },
    call: ({ batches }) => batches.execute('x_1'),
    ...{ object: 'payout_batch', before: 'brouillon', not: [['annule'], ['en_attente_validation'], ['of tomorrow']] },
    done: [['en_cours'], ['termine'], ['termine_avec_erreurs']],
  },
  {
    ...{ name: 'batches.cancel', path: '/v1-payout-batches/x_1/cancel', at: '/v1-payout-batches/x_1' },
    call: ({ batches }) => batches.cancel('x_1'),
    ...{ object: 'payout_batch', before: 'brouillon', done: [['annule']], not: [['en_cours'], ['termine']] },
  },
  {
    ...{ name: 'payouts.cancel', path: '/x/payouts/x_1/cancel', at: '/v1-payouts/x_1' },
    call: ({ payouts }) => payouts.cancel('x_1'),
    ...{ object: 'payout', before: 'created', done: [['failed', cancelled]] },
    not: [['processing'], ['succeeded'], ['failed', { failure_code: 'operator_refused' }]],
  },
  {
    ...{ name: 'payments.cancel', path: '/x/payments/x_1/cancel', at: '/v1-payments/x_1' },
    call: ({ payments }) => payments.cancel('x_1'),
    ...{ object: 'payment', before: 'created', done: [['failed', cancelled]], not: [['pending'], ['succeeded']] },
  },
  {
    ...{ name: 'links.close', path: '/x/links/x_1/close', at: '/x/links/x_1' },
    call: ({ links }) => links.close('x_1'),
    ...{ object: 'payment_link', before: 'open', done: [['closed']], not: [['paid'], ['expired']] },
  },
]

for (const { name, path, at, call, object, before, done, not } of acts) {
  test(`${name} whose answer is lost is read, and sent again only if it was not done`, async () => {
    for (const [status, more] of done) {
      await using server = await openScripted(cut, read(object, status, more))
      assert.equal((await call(clientOf(server.url))).status, status)
      assert.deepEqual(
        server.got.map((got) => `${got.method} ${got.path}`),
        [`POST ${path}`, `GET ${at}`],
      )
    }
    const [status, more] = done[0]!
    await using undone = await openScripted(cut, read(object, before), read(object, status, more))
    assert.equal((await call(clientOf(undone.url))).status, status)
    assert.deepEqual(
      undone.got.map(({ method }) => method),
      ['POST', 'GET', 'POST'],
    )
  })

  test(`${name} that a late first request has done succeeds, although the second was refused`, async () => {
    const [status, more] = done[0]!
    await using server = await openScripted(
      ...[cut, read(object, before), refusal(409, 'too_late'), read(object, status, more)],
    )
    assert.equal((await call(clientOf(server.url))).status, status)
    assert.equal(server.got.length, 4)
  })

  test(`${name} whose resource went another way is no success, and may have happened`, async () => {
    await Promise.all(
      not.map(async ([status, more]) => {
        const other = read(object, status, more)
        await using server = await openScripted(cut, other, refusal(409, 'too_late'), other)
        const { kind, code, mayHaveHappened } = await failureOf(call(clientOf(server.url)))
        assert.deepEqual([kind, code, mayHaveHappened], ['refused', 'too_late', true], status)
        assert.equal(server.got.length, 4)
      }),
    )
  })
}

test('an act that is refused at once is not read, and did not happen', async () => {
  await using server = await openScripted(refusal(409, 'batch_not_executable'))
  const { kind, mayHaveHappened } = await failureOf(clientOf(server.url).batches.execute('x_1'))
  assert.deepEqual([kind, mayHaveHappened, server.got.length], ['refused', false, 1])
})

test('an act that can neither be read nor sent again fails as it did first', async () => {
  await using server = await openScripted(cut, refusal(403, 'forbidden'))
  const { kind, mayHaveHappened } = await failureOf(clientOf(server.url, { retries: 0 }).payouts.cancel('x_1'))
  assert.deepEqual([kind, mayHaveHappened, server.got.length], ['no_answer', true, 2])
})
