import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readAnswerExamples } from '../../src/app/answer-examples.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Answer } from './ask.ts'
import { isSameShape, recordAnswers, shapeOf } from './record-answers.ts'

// Every example of the documentation, sent as the page sends it, with the keys of the demo.

let data_dir: string
let installation: Installation
let demo: { merchant_id: number; keys: { collect_test: string; payout_test: string } }
before(async () => {
  data_dir = await mkdtemp(join(tmpdir(), 'bandama-examples-'))
  installation = await openInstallation({ env: { DEMO: 'on', DATA_DIR: data_dir, SIMULATOR_DELAY_MS: '0' } })
  demo = JSON.parse(await readFile(join(data_dir, 'demo.json'), 'utf8'))
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await rm(data_dir, { recursive: true, force: true })
})

type Json = Record<string, unknown>
type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; example?: unknown }
type Operation = {
  statuses: string[]
  method: string
  path: string
  operationId: string
  scope: string | undefined
  parameters: Parameter[]
  body: { example?: Json } | undefined
}

async function readOperations(): Promise<Operation[]> {
  const { paths } = (await installation.ask({ path: '/openapi.json' })).json() as {
    paths: Record<string, Record<string, Json>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, declared]) => ({
      statuses: Object.keys(declared.responses as Json).filter((status) => status < '300'),
      method: method.toUpperCase(),
      path,
      operationId: String(declared.operationId),
      scope: declared['x-scope'] as string | undefined,
      parameters: declared.parameters as Parameter[],
      body: (declared.requestBody as { content: Record<string, { example?: Json }> } | undefined)?.content[
        'application/json'
      ],
    })),
  )
}

test('a body has an example, and so has every header and query field without which the route refuses', async () => {
  for (const { operationId, parameters, body } of await readOperations()) {
    if (body !== undefined) assert.ok(body.example !== undefined, operationId)
    for (const { name, required, example, in: where } of parameters) {
      if (required && where !== 'path') assert.ok(example !== undefined, `${operationId}: ${name}`)
    }
  }
})

test('every example succeeds with the keys of the demo', async () => {
  const operations = new Map((await readOperations()).map((operation) => [operation.operationId, operation]))
  const tried = new Set<string>()
  const answers: Record<string, Record<string, unknown>> = {}

  /** Sends the example, with ids from earlier answers in the path, and returns the answer. */
  async function attempt(operationId: string, params: Record<string, string> = {}, instead: Json = {}): Promise<Json> {
    const answer = await send(operationId, params, instead)
    assert.ok(answer.status >= 200 && answer.status < 300, `${operationId}: ${answer.status} ${answer.text}`)
    tried.add(operationId)
    return answer.json() as Json
  }

  async function send(operationId: string, params: Record<string, string> = {}, instead: Json = {}): Promise<Answer> {
    const { method, path, scope, parameters, body } = operations.get(operationId)!
    const query = parameters.filter(({ in: where, example }) => where === 'query' && example !== undefined)
    // A page of two shows what a list is like, however many things there are.
    const short = parameters.filter(({ name, example }) => name === 'limit' && example === undefined)
    const search = [...query, ...short.map(({ name }) => ({ name, example: 2 }))]
      .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
      .join('&')
    const idempotency = parameters.find(({ name }) => name === 'Idempotency-Key')?.example
    const answer = await installation.ask({
      method,
      path: path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!) + (search === '' ? '' : `?${search}`),
      key: scope === 'payout' ? demo.keys.payout_test : demo.keys.collect_test,
      ...(idempotency === undefined ? {} : { idempotency_key: String(idempotency) }),
      ...(body === undefined ? {} : { body: { ...body.example, ...instead } }),
    })
    const kept = answers[operationId] ?? {}
    answers[operationId] = kept
    // The example of an act is the first answer, the one of a read the last, in which more has happened.
    if (answer.status < 300 && (method === 'GET' || !(answer.status in kept))) kept[answer.status] = answer.json()
    return answer
  }

  /** The next call of this operation claims another key than its example. */
  function renewKey(operationId: string, key: string): void {
    const { parameters } = operations.get(operationId)!
    for (const parameter of parameters) if (parameter.name === 'Idempotency-Key') parameter.example = key
  }

  const idOf = (object: Json) => String(object.id)

  const payment_id = idOf(await attempt('createPayment'))
  await waitFor(async () => (await attempt('getPayment', { payment_id })).status === 'succeeded')
  // The worker may be faster with one of them, not with each.
  for (let tries = 1; tries <= 50 && !tried.has('cancelPayment'); tries += 1) {
    renewKey('createPayment', `to-be-cancelled-${tries}`)
    const created = idOf(await attempt('createPayment'))
    if ((await send('cancelPayment', { payment_id: created })).status === 200) tried.add('cancelPayment')
  }
  // A payer who is asked for a code.
  renewKey('createPayment', 'paid-by-a-code')
  const by_code = idOf(await attempt('createPayment', {}, { counterparty: { msisdn: '0700000008' } }))
  const read = async () =>
    (await attempt('getPayment', { payment_id: by_code })) as { status: string; next_action: { type: string } | null }
  await waitFor(async () => (await read()).next_action?.type === 'enter_code')
  await attempt('submitPaymentCode', { payment_id: by_code })
  await waitFor(async () => (await read()).status === 'succeeded')
  await attempt('createCheckoutSession')
  const link_id = idOf(await attempt('createPaymentLink'))
  await attempt('getPaymentLink', { link_id })
  await attempt('listPaymentLinks')
  await attempt('closePaymentLink', { link_id })

  // As the introduction says, and as the README does.
  const merchant = ['--merchant', String(demo.merchant_id), '--mode', 'test']
  await installation.bandama('deposit', ...merchant, '--amount', '300000')
  await attempt('getPayout', { id: idOf(await attempt('createPayout')) })
  renewKey('createPayout', 'above-the-cap')
  await attempt('createPayout', {}, { amount: 100_001 })
  for (let tries = 1; tries <= 50 && !tried.has('cancelPayout'); tries += 1) {
    renewKey('createPayout', `payout-to-be-cancelled-${tries}`)
    const payout_id = idOf(await attempt('createPayout'))
    if ((await send('cancelPayout', { payout_id })).status === 200) tried.add('cancelPayout')
  }
  const batch_id = idOf(await attempt('createPayoutBatch'))
  await attempt('getPayoutBatch', { batch_id })
  await attempt('checkPayoutBatch', { batch_id })
  await attempt('getPayoutBatchCheck', { batch_id })
  await attempt('executePayoutBatch', { batch_id })
  renewKey('createPayoutBatch', 'another-batch')
  await attempt('cancelPayoutBatch', { batch_id: idOf(await attempt('createPayoutBatch')) })

  const beneficiary_id = idOf(await attempt('addBeneficiary'))
  // A number that is in the book already is answered with its entry.
  await attempt('addBeneficiary')
  await attempt('listBeneficiaries')
  await attempt('getBeneficiary', { beneficiary_id })

  const iban = ['--iban', 'CI93CI0080111301134291200589', '--name', 'Boutique Demo']
  const { beneficiary_id: destination } = await installation.bandama('destination', 'create', ...merchant, ...iban)
  const since = ['--beneficiary', String(destination), '--since', '2026-01-01T00:00:00Z']
  await installation.bandama('destination', 'designate', ...merchant, ...since)
  const settlement_id = idOf(await attempt('createSettlement', {}, { beneficiary: destination }))
  await attempt('listSettlements')
  await attempt('getSettlement', { settlement_id })
  await attempt('getStatement')

  for (const operationId of [
    'getBalances',
    'listOperators',
    'predictOperator',
    'checkRecipient',
    'listPayments',
    'listPayouts',
    'listBatches',
    'findSettlements',
    'listRequests',
  ])
    await attempt(operationId)
  const events = (await attempt('listEvents')).data as Json[]
  await attempt('getEvent', { event_id: idOf(events[0]!) })
  await attempt('replayEvent', { event_id: idOf(events[0]!) })
  const why = 'tests/contract/examples.test.ts sends the example of each operation'
  assert.deepEqual([...tried].sort(), [...operations.keys()].sort(), why)

  if (process.env.UPDATE_EXAMPLES === '1') {
    await recordAnswers(answers, new URL(String((answers.createPaymentLink![201] as Json).url)).origin)
  }
  const recorded = await readAnswerExamples()
  for (const [operationId, { statuses }] of operations) {
    for (const status of statuses) {
      const [shown, given] = [recorded[operationId]?.[status], answers[operationId]?.[status]].map(shapeOf)
      const how = `the example of ${operationId} ${status} differs from the answer: UPDATE_EXAMPLES=1 records it anew`
      assert.ok(shown !== undefined && isSameShape(shown, given), `${how}\n${JSON.stringify([shown, given])}`)
    }
  }
})
