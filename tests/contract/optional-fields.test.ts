import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { checkRefusal } from './answers.ts'
import type { Answer } from './ask.ts'
import { openCalls } from './calls.ts'

const { add, ask, batch, collects, get, open, pay, pays, send, sql } = openCalls()

const to = (beneficiary: unknown) => ({ amount: 100, beneficiary })
const person = { msisdn: '0700000010', operator: 'orange_ci', name: 'Awa' }

describe('null in an optional field means absent', () => {
  const absent: [what: string, ask: () => Promise<Answer>][] = [
    [
      'of a payment',
      () =>
        pay({
          amount: 100,
          currency: null,
          operator: null,
          counterparty: null,
          merchant_reference: null,
          description: null,
          metadata: null,
          simulate: null,
        }),
    ],
    ['of a session', () => open({ amount: 100, currency: null, description: null, return_url: null })],
    ['of a line', () => batch({ ...to({ ...person, operator: null }), beneficiary_id: null, reference: null })],
    ['of an entry', () => add({ ...person, beneficiary: null })],
  ]
  for (const [what, ask] of absent) {
    test(what, async () => {
      const answer = await ask()
      assert.ok(answer.status < 300, answer.text)
    })
  }

  test('of a payout, which goes on to its funds', async () => {
    const body = { ...to({ ...person, operator: null }), beneficiary_id: null, reference: null, currency: null }
    checkRefusal(await send(body), 409, 'insufficient_funds')
  })

  test('also for its key: with and without it, a request is the same', async () => {
    const idempotency_key = randomUUID()
    const first = await pay({ amount: 100, description: null }, { idempotency_key })
    assert.equal(first.status, 201, first.text)
    assert.equal((await pay({ amount: 100 }, { idempotency_key })).text, first.text)
    checkRefusal(await pay({ amount: 100, description: 'x' }, { idempotency_key }), 422, 'idempotency_key_reused')
  })

  test('but a value of the metadata that is null stays', async () => {
    const { id } = (await pay({ amount: 100, metadata: { a: null } })).json() as { id: string }
    const [row] = await sql()<{ metadata: unknown }[]>`select metadata from payments where id = ${id}`
    assert.deepEqual(row!.metadata, { a: null })
  })
})

test('an inline destination may have a name of one character, and names are kept composed', async () => {
  const name = 'e\u0301'
  const answer = await batch(to({ ...person, msisdn: '0700000011', name }))
  assert.equal(answer.status, 201, answer.text)
  const [row] = await sql()<{ name: string }[]>`
    select name from payout_batch_lines where batch_id = ${(answer.json() as { id: string }).id}`
  assert.equal(row!.name, '\u00e9')
})

test('a return_url may write its scheme in capitals', async () => {
  const answer = await open({ amount: 100, return_url: 'HTTPS://example.com/thanks' })
  assert.equal(answer.status, 201, answer.text)
  assert.equal((answer.json() as { return_url: string }).return_url, 'https://example.com/thanks')
})

test('the version header has its legacy twin, in answers and in requests', async () => {
  const read = (headers: Record<string, string>) => get('/v1-settlements', collects, headers)
  const answer = await read({ 'Legacy-Version': '2026-08-25', 'Service-Version': '2026-08-25' })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers['legacy-version'], answer.headers['service-version'])
  for (const headers of [{ 'Legacy-Version': '2020-01-01' }, { 'Service-Version': '2020-01-01' }]) {
    checkRefusal(
      await read({ 'Service-Version': '2026-08-25', 'Legacy-Version': '2026-08-25', ...headers }),
      400,
      'invalid_request',
    )
  }
})

test('an address without its id is not found, whatever the method', async () => {
  const paths = ['payments', 'payouts', 'payout-batches', 'settlements', 'beneficiaries', 'statements', 'checkout']
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const answer = await ask({ method, path: `/v1-${path}/`, key: pays() })
      checkRefusal(answer, 404, 'resource_not_found', `${method} ${path}`)
    }
  }
})
