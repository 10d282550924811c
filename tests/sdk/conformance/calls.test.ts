import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { waitFor } from '../../harness/wait-for.ts'
import { cut, json, openScripted, page, refusal, type Step, silence } from '../scripted-server.ts'
import { type Answered, type Asked, isInstalled, languages, openDriver } from './driver.ts'

// The answers that no test can make the service give, and webhooks, as each SDK takes them.

const key = 'bdm_sk_test_abcdef_ghijkl'
const created = json(201, { id: 'txn_1', object: 'payment', status: 'created', amount: 500 })
const batch = (status: string) => json(200, { id: 'pob_1', object: 'payout_batch', status })
const create = { op: 'payments.create', args: [{ amount: 500, merchant_reference: 'CMD-417' }] }
const execute = { op: 'batches.execute', args: ['pob_1'] }
const order = { amount: 1, beneficiary: { msisdn: '0700000000', name: 'Awa Koné' } }

/** Calls, the answers to them, and what the SDK must then say. `sent`: how many requests leave; `wait` sends more while it has time. */
type Case = { steps: Step[]; line: Asked; sent: number; ok?: object; error?: object; settings?: object }

const again = (step: Step): Case => ({
  ...{ steps: [step, created], line: create, sent: 2 },
  ok: { id: 'txn_1', object: 'payment', status: 'created', amount: 500 },
})
const refused = (step: Step, error: object, sent = 1): Case => ({ steps: [step], line: create, sent, error })
const unsent = (line: Asked): Case => ({ steps: [created], line, sent: 0, error: { kind: 'usage' } })

const cases: Record<string, Case> = {
  'a connection that breaks': again(cut),
  'an interim answer, and then none': again((response) => response.socket!.end('HTTP/1.1 103 Early Hints\r\n\r\n')),
  'a failure of the service': again(refusal(500, 'payment_creation_failed')),
  'a gateway without its service': again(page(502)),
  'a garbled body': again((response) => response.writeHead(201).end('{"id":"txn_1","ob')),
  'an answer that breaks off': again((response) => {
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': '200' })
    response.write('{"id":"txn_1"', () => response.destroy())
  }),
  'a request that is still under way': again(refusal(409, 'idempotency_in_progress')),
  'too many calls': again(refusal(429, 'rate_limit_exceeded', { 'Retry-After': '0' })),
  'a wrong key': refused(refusal(401, 'invalid_api_key'), { kind: 'refused', may_have_happened: false, attempts: 1 }),
  'too many attempts of a payer': refused(refusal(429, 'too_many_attempts', { 'Retry-After': '1' }), {
    ...{ kind: 'rate_limited', code: 'too_many_attempts', retry_after: 1, may_have_happened: false },
  }),
  'a wait of an hour': refused(refusal(429, 'rate_limit_exceeded', { 'Retry-After': '3600' }), {
    ...{ kind: 'rate_limited', retry_after: 3_600, may_have_happened: false, request_id: 'req-1' },
  }),
  'the page of a firewall': refused(page(403), { kind: 'unreadable', status: 403, may_have_happened: false }),
  'a redirect': refused(page(301, { Location: 'https://pay.example.ci/' }), { kind: 'unreadable', status: 301 }),
  'an answer of another kind': refused(json(200, { ok: true }), { kind: 'unreadable', may_have_happened: true }, 2),
  silence: {
    ...refused(silence, { kind: 'no_answer', status: null, may_have_happened: true, attempts: 2 }, 2),
    settings: { timeout_ms: 1_000 },
  },
  'a body that never ends': {
    ...refused((response) => dripped(response), { kind: 'no_answer', may_have_happened: true, attempts: 2 }, 2),
    settings: { timeout_ms: 1_000 },
  },
  'a refusal after a lost answer': {
    ...{ steps: [cut, refusal(401, 'invalid_api_key')], line: create, sent: 2 },
    error: { kind: 'refused', may_have_happened: true },
  },
  'a payout without a key': unsent({ op: 'payouts.create', args: [order] }),
  'a batch with a short key': unsent({
    ...{ op: 'batches.create', args: [{ lines: [order] }], call: { idempotency_key: 'short' } },
  }),
  'a settlement without a key': unsent({ op: 'settlements.create', args: [order] }),
  'a key with an accent': unsent({
    ...{ op: 'payouts.create', args: [order], call: { idempotency_key: 'commande-é-417' } },
  }),
  'a payout that waits for approval': {
    steps: [json(202, { id: 'por_1', object: 'payout_request', status: 'pending_approval' })],
    line: { op: 'payouts.create', args: [order], call: { idempotency_key: 'order-417' } },
    ...{ sent: 1, ok: { id: 'por_1', object: 'payout_request', status: 'pending_approval' } },
  },
  'a replay whose answer is lost': {
    ...{ steps: [cut], line: { op: 'events.replay', args: ['evt_1'] }, sent: 1 },
    error: { kind: 'no_answer', may_have_happened: true },
  },
  'an act whose answer is lost, and that was done': {
    ...{ steps: [cut, batch('en_cours')], line: execute, sent: 2 },
    ok: { id: 'pob_1', object: 'payout_batch', status: 'en_cours' },
  },
  'an act whose answer is lost, and that was not done': {
    ...{ steps: [cut, batch('brouillon'), batch('termine')], line: execute, sent: 3 },
    ok: { id: 'pob_1', object: 'payout_batch', status: 'termine' },
  },
  'an act whose answer is lost, and that was done late': {
    ...{ steps: [cut, batch('brouillon'), refusal(409, 'too_late'), batch('en_cours')], line: execute, sent: 4 },
    ok: { id: 'pob_1', object: 'payout_batch', status: 'en_cours' },
  },
  'an act whose answer is lost, and whose batch was cancelled': {
    ...{ steps: [cut, batch('annule'), refusal(409, 'too_late'), batch('annule')], line: execute, sent: 4 },
    error: { kind: 'refused', code: 'too_late', may_have_happened: true },
  },
  'an act that is refused at once': {
    ...{ steps: [refusal(409, 'batch_not_executable')], line: execute, sent: 1 },
    error: { kind: 'refused', may_have_happened: false },
  },
  'an id with a slash': {
    ...{ steps: [created], line: { op: 'payments.get', args: ['a/b?c'] }, sent: 1 },
    ok: { id: 'txn_1', object: 'payment', status: 'created', amount: 500 },
  },
  'a list': {
    steps: [
      json(200, { object: 'list', data: [{ id: 'a' }, { id: 'b' }], has_more: true }),
      json(200, { object: 'list', data: [{ id: 'c' }], has_more: false }),
    ],
    ...{ line: { op: 'payments.list', args: [{ limit: 2 }] }, sent: 2, ok: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] },
  },
  'a wait for a state that is newer than the package': {
    ...{ steps: [batchless('of tomorrow')], sent: 1, settings: { timeout_ms: 2_000 } },
    line: { op: 'payments.wait', args: ['txn_1'], call: { timeout_ms: 1_500 } },
    ok: { id: 'txn_1', object: 'payment', status: 'of tomorrow' },
  },
}

function batchless(status: string): Step {
  return json(200, { id: 'txn_1', object: 'payment', status })
}

/** Sends a byte now and then: each comes in time, and the whole never. */
function dripped(response: Parameters<Step>[0]): void {
  response.writeHead(201, { 'Content-Type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}

const secret = 'whsec_0123456789'
const event = { id: 'evt_1', object: 'event', type: 'payment.succeeded', data: { name: 'Koné' } }
const body = JSON.stringify(event)
const signature = (at = 0, by = secret) => {
  const time = Math.floor(Date.now() / 1_000) + at
  return `t=${time},v1=${createHmac('sha256', by).update(`${time}.${body}`).digest('hex')}`
}

/** Webhooks, and the reason for which they are not taken. Null: they are. */
const webhooks: [object, string | string[], number | null, string | null][] = [
  [{ 'Service-Signature': signature() }, secret, null, null],
  [{ 'banque-test-signature': signature() }, secret, null, null],
  [{ 'A-Signature': signature(0, 'new'), 'A-Signature-Previous': signature() }, secret, null, null],
  [{ 'A-Signature': signature(0, 'new') }, ['other', 'new'], null, null],
  [{ 'A-Signature': signature(-3_600) }, secret, 4_000, null],
  [{ 'A-Signature': signature(-3_600) }, secret, null, 'wrong_time'],
  [{ 'A-Signature': signature(3_600) }, secret, null, 'wrong_time'],
  [{ 'A-Signature': signature() }, 'whsec_of another', null, 'wrong_signature'],
  [{ 'A-Signature': 'v1=nonsense' }, secret, null, 'no_signature'],
  [{ 'A-Signature': signature().replace(/\d/, '١') }, secret, null, 'no_signature'],
  [{}, secret, null, 'no_signature'],
  [{ 'A-Signature': signature(0, '') }, '', null, 'usage'],
  [{ 'A-Signature': signature(0, '') }, [secret, ''], null, 'usage'],
]

/** States, and the outcome that each SDK gives them. */
const outcomes: [unknown, string][] = [
  [{ object: 'payment', status: 'succeeded' }, 'paid'],
  [{ object: 'payment', status: 'pending' }, 'waiting'],
  [{ object: 'payment', status: 'refunded' }, 'returned'],
  [{ object: 'payout_request', status: 'pending_approval' }, 'waiting_for_approval'],
  [{ object: 'payout', status: 'indeterminate' }, 'unknown'],
  [{ object: 'payment', status: 'expired' }, 'unknown'],
  [{ object: 'payout_batch', status: 'termine_avec_erreurs' }, 'unknown'],
  [{ object: 'checkout_session', status: 'closed' }, 'unknown'],
  [{ object: 'of tomorrow', status: 'succeeded' }, 'unknown'],
  [{ object: 'payment', status: 'constructor' }, 'unknown'],
  [{ object: 'payment', status: 1 }, 'unknown'],
  [{ object: 'payment', status: 'of tomorrow' }, 'unknown'],
  [{ object: 'constructor', status: 'name' }, 'unknown'],
  [null, 'unknown'],
]

const part = (whole: object | undefined, like: object) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, (whole as Record<string, unknown> | undefined)?.[name]]))

for (const language of languages) {
  const skip = !isInstalled(language) && `${language.command[0]} is not installed`
  const driver = skip ? null : openDriver({ ...language, processes: Math.min(3, language.processes) })
  after(() => driver?.[Symbol.asyncDispose]())

  /** Carries out a case with each client of the driver. */
  async function follows({ steps, line, sent, ok, error, settings }: Case): Promise<void> {
    await using opened = new AsyncDisposableStack()
    const servers = await Promise.all(Array.from({ length: language.clients }, () => openScripted(...steps)))
    for (const server of servers) opened.use(server)
    const asked = servers.map((server) => {
      const client = { key, url: server.url, timeout_ms: 5_000, retries: error === undefined ? 3 : 1, ...settings }
      return driver!.ask({ client, ...line })
    })
    for (const [index, server] of servers.entries()) {
      const answer: Answered = await asked[index]!
      if (ok !== undefined) assert.deepEqual(answer.ok, ok, String(answer.error?.message))
      if (error !== undefined) assert.deepEqual(part(answer.error, error), error)
      // A client may give up before its request arrives.
      await waitFor(() => server.got.length >= sent, { what: 'the last request' })
      if (line.op !== 'payments.wait') assert.equal(server.got.length, sent)
      const [first, ...others] = server.got
      if (line === create) for (const other of others) assert.deepEqual(other, first)
      if (line === create) assert.equal(first!.key, `ref:${Buffer.from('CMD-417').toString('base64url')}`)
      if (line.op === 'payments.get') assert.equal(first!.path, '/v1-payments/a%2Fb%3Fc')
      if (answer.meta !== undefined) assert.equal(answer.meta.idempotency_key, server.got.at(-1)!.key ?? null)
      if (answer.error?.code) assert.equal(answer.error.doc_url, `${server.url}/docs/errors/${answer.error.code}`)
    }
  }

  test(`${language.name}: each answer leads to the right repetition, result or error`, {
    skip,
    concurrency: 16,
  }, async (context) => {
    const each = Object.entries(cases).map(([name, one]) => context.test(name, () => follows(one)))
    await Promise.all(each)
  })

  test(`${language.name}: webhooks are taken only when they are proven`, { skip }, async () => {
    for (const [headers, by, tolerance, reason] of webhooks) {
      const args = [body, headers, by, ...(tolerance === null ? [] : [tolerance])]
      const { ok, error } = await driver!.ask({ op: 'webhooks.verify', args })
      assert.equal(error?.reason ?? error?.kind ?? null, reason)
      if (reason === null) assert.deepEqual(ok, event)
    }
    const changed = await driver!.ask({ op: 'webhooks.verify', args: [`${body} `, webhooks[0]![0], secret] })
    assert.equal(changed.error?.reason, 'wrong_signature')
  })

  test(`${language.name}: no state but those that mean it is paid`, { skip }, async () => {
    for (const [resource, outcome] of outcomes)
      assert.equal((await driver!.ask({ op: 'outcome_of', args: [resource] })).ok, outcome)
  })
}
