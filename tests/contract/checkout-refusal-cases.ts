import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { LinkAmount } from '../../src/checkout/link.ts'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { newPayer } from '../harness/installation.ts'
import { setActive } from '../harness/merchant.ts'
import { waitFor } from '../harness/wait-for.ts'
import { isLimited } from './answers.ts'
import type { Asked } from './ask.ts'
import { doorCases, faultCase, holdFirst, type RefusalCase, type Stage } from './meet-refusals.ts'
import { addLink, json, newSession, open, openLink, payOn, sessionFor, untilAttempt, untilStatus } from './payer.ts'
import { PATIENCE } from './sender.ts'

const POST = 'POST /v1-checkout'

const keyOf = ({ sender }: Stage) => sender.merchant.key

/** A good request for 100 francs, changed. */
function create(status: number, code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase {
  return {
    route: POST,
    why,
    status,
    code,
    prepare: (stage) => ({ asked: { ...sessionFor(keyOf(stage), { amount: 100 }), ...change } }),
  }
}

/** Requests with these bodies. */
function bodies(status: number, code: ErrorCode, ...sent: unknown[]): RefusalCase[] {
  return sent.map((body) => create(status, code, JSON.stringify(body)?.slice(0, 100) ?? 'nothing', { body }))
}

/** A refusal of the JSON form of a page. */
function onPage(
  status: number,
  code: ErrorCode,
  why: string,
  prepare: (stage: Stage) => Promise<{ path: string; fields: Record<string, unknown>; process?: number }>,
): RefusalCase {
  return {
    route: POST,
    why: `on the page: ${why}`,
    status,
    code,
    async prepare(stage) {
      const { path, fields, process = 0 } = await prepare(stage)
      return { asked: { method: 'POST', path, headers: json, body: fields }, process }
    },
  }
}

/** The page of a new session of 10 000 francs, and the nonce of its form. */
async function page(stage: Stage, body: unknown = { amount: 10_000 }) {
  const { path, id } = await newSession(stage.installation, keyOf(stage), body)
  const { nonce } = await open(stage.installation, path)
  return { path, id, nonce }
}

/** The same of a new link. */
async function linkPage(stage: Stage, amount: LinkAmount, reusable = true) {
  const { path, link_id } = await addLink(stage.installation, stage.sender.merchant.merchant_id, amount, reusable)
  const { nonce } = await openLink(stage.installation, path)
  return { path, link_id, nonce }
}

const doors: RefusalCase[] = [
  ...doorCases({ [POST]: { ask: ({ merchant: { key } }) => sessionFor(key, { amount: 100 }), scoped: true } }),
  {
    route: POST,
    why: 'a merchant that is switched off',
    status: 403,
    code: 'merchant_inactive',
    async prepare(stage) {
      const { installation, sender } = stage
      await setActive(installation.db.sql, sender.merchant.merchant_id, false)
      const asked = sessionFor(keyOf(stage), { amount: 100 })
      await waitFor(async () => (await installation.ask(asked)).status === 403, PATIENCE)
      return { asked }
    },
  },
]

const fields: RefusalCase[] = [
  ...['', 'seven77', 'x'.repeat(256)].map((key) =>
    create(400, 'idempotency_key_required', `a key of ${key.length}`, { headers: { 'Idempotency-Key': key } }),
  ),
  create(400, 'invalid_body', 'no body', { text: '' }),
  create(400, 'invalid_body', 'no JSON', { text: '{"amount":' }),
  create(400, 'invalid_body', 'a key twice', { text: '{"amount":100,"amount":100}' }),
  create(400, 'invalid_body', 'a form', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  ...bodies(400, 'invalid_body', [], null, 'x', 1, true),
  ...bodies(400, 'invalid_body', { amount: 100, description: 7 }, { amount: 100, description: 'x'.repeat(1_001) }),
  ...[undefined, null, '100', 0, -1, 1.5, true, [100], 1_000_000_000_001].flatMap((amount) =>
    bodies(422, 'invalid_amount', { amount }),
  ),
  ...['100.0', '1e2', '-0', '9007199254740993'].map((amount) =>
    create(422, 'invalid_amount', amount, { text: `{"amount":${amount}}` }),
  ),
  ...['EUR', 'XO', '', [], 952].flatMap((currency) => bodies(422, 'invalid_currency', { amount: 100, currency })),
  ...['http://boutique.ci', 'javascript:alert(1)', '//boutique.ci', '', [], 7, 'https://a:b@boutique.ci'].flatMap(
    (return_url) => bodies(422, 'invalid_return_url', { amount: 100, return_url }),
  ),
  ...bodies(422, 'amount_above_limit', { amount: 2_000_001 }),
]

const idempotency: RefusalCase[] = [
  {
    route: POST,
    why: 'the key of a session, with another body',
    status: 422,
    code: 'idempotency_key_reused',
    async prepare(stage) {
      const idempotency_key = randomUUID()
      const first = await stage.installation.ask({ ...sessionFor(keyOf(stage), { amount: 100 }), idempotency_key })
      assert.equal(first.status, 201)
      return { asked: { ...sessionFor(keyOf(stage), { amount: 101 }), idempotency_key } }
    },
  },
  {
    route: POST,
    why: 'the first request still runs',
    status: 409,
    code: 'idempotency_in_progress',
    prepare: (stage) =>
      holdFirst(
        stage,
        { ...sessionFor(keyOf(stage), { amount: 100 }), idempotency_key: randomUUID() },
        'checkout_sessions',
        (answer) => assert.equal(answer.status, 201),
      ),
  },
]

const states: RefusalCase[] = [
  onPage(409, 'session_closed', 'a session that is paid', async (stage) => {
    const { path, nonce } = await page(stage)
    await payOn(stage.installation, path, newPayer())
    await untilStatus(stage.installation, path, 'paid')
    return { path, fields: { nonce, msisdn: newPayer() } }
  }),
  onPage(409, 'session_closed', 'a session that was closed', async (stage) => {
    const { path, nonce, id } = await page(stage)
    await stage.installation.bandama('session', 'close', '--id', id)
    return { path, fields: { nonce, msisdn: newPayer() } }
  }),
  onPage(409, 'session_expired', 'a session whose time is over', async (stage) => {
    const { path, nonce, id } = await page(stage)
    await overdue(stage, id)
    return { path, fields: { nonce, msisdn: newPayer() } }
  }),
  onPage(409, 'idempotency_in_progress', 'somebody is paying it, with another number', async (stage) => {
    const { path, nonce } = await page(stage)
    await payOn(stage.installation, path, '0700000008')
    await untilAttempt(stage.installation, path, 'pending')
    return { path, fields: { nonce, msisdn: newPayer() } }
  }),
  onPage(403, 'merchant_inactive', 'a merchant that is switched off', async (stage) => {
    const { path, nonce } = await page(stage)
    await setActive(stage.installation.db.sql, stage.sender.merchant.merchant_id, false)
    return { path, fields: { nonce, msisdn: newPayer() } }
  }),
  onPage(409, 'lien_indisponible', 'a link that was closed', async (stage) => {
    const { path, nonce, link_id } = await linkPage(stage, { kind: 'fixed', amount: 500 })
    await stage.installation.bandama('link', 'close', '--id', link_id)
    return { path, fields: { nonce, msisdn: newPayer() } }
  }),
  onPage(409, 'lien_indisponible', 'a link whose time is over', async (stage) => {
    const { path, nonce, link_id } = await linkPage(stage, { kind: 'fixed', amount: 500 })
    await stage.installation.db.sql`
      update payment_links set expires_at = clock_now() - interval '1 second' where id = ${link_id}`
    return { path, fields: { nonce, msisdn: newPayer() } }
  }),
  onPage(409, 'lien_indisponible', 'a link for one payment, which is paid', async (stage) => {
    const { path, nonce } = await linkPage(stage, { kind: 'fixed', amount: 500 }, false)
    const { address } = await payOn(stage.installation, path, newPayer())
    await untilStatus(stage.installation, address, 'paid')
    return { path, fields: { nonce, msisdn: newPayer() } }
  }),
  onPage(409, 'lien_indisponible', 'a link for one payment, which somebody else is paying', async (stage) => {
    const { path, nonce } = await linkPage(stage, { kind: 'fixed', amount: 500 }, false)
    await payOn(stage.installation, path, '0700000008')
    return { path, fields: { nonce, msisdn: newPayer() } }
  }),
]

/** A session whose time was over long ago, before the sweep or after it. */
async function overdue({ installation: { db } }: Stage, id: string): Promise<void> {
  await db.sql.begin(async (tx) => {
    await tx`alter table checkout_sessions disable trigger checkout_sessions_fixed`
    await tx`update checkout_sessions set expires_at = clock_now() - interval '1 second' where id = ${id}`
    await tx`alter table checkout_sessions enable trigger checkout_sessions_fixed`
  })
}

const payers: RefusalCase[] = [
  ...['', '0800000000', '070000000', '+33612345678', 'x', '0'.repeat(201), 700000000, null, true].map((msisdn) =>
    onPage(422, 'invalid_msisdn', JSON.stringify(msisdn).slice(0, 30), async (stage) => {
      const { path, nonce } = await page(stage)
      return { path, fields: { nonce, msisdn } }
    }),
  ),
  ...['nobody_ci', 'ORANGE_CI', 7, {}].map((operator) =>
    onPage(422, 'invalid_operator', JSON.stringify(operator), async (stage) => {
      const { path, nonce } = await page(stage)
      return { path, fields: { nonce, msisdn: newPayer(), operator } }
    }),
  ),
  onPage(
    422,
    'invalid_operator',
    'in live mode, an operator that is not connected',
    async ({ installation, sender }) => {
      const { key } = await sender.merchant.newKey('live', 'collect')
      const { path } = await newSession(installation, key)
      const { nonce, operators } = await open(installation, path)
      assert.deepEqual(operators, [])
      return { path, fields: { nonce, msisdn: newPayer() } }
    },
  ),
  onPage(422, 'invalid_msisdn', 'a wrong number on a link', async (stage) => {
    const { path, nonce } = await linkPage(stage, { kind: 'fixed', amount: 500 })
    return { path, fields: { nonce, msisdn: '0800000000' } }
  }),
  ...[undefined, null, '700', 0, -1, 1.5, 'x'].map((amount) =>
    onPage(422, 'invalid_amount', JSON.stringify(amount) ?? 'none', async (stage) => {
      const { path, nonce } = await linkPage(stage, { kind: 'free', min_amount: 500, max_amount: 1000 })
      return { path, fields: { nonce, msisdn: newPayer(), amount } }
    }),
  ),
  onPage(422, 'amount_too_small', 'a franc below the bound', async (stage) => {
    const { path, nonce } = await linkPage(stage, { kind: 'free', min_amount: 500, max_amount: 1000 })
    return { path, fields: { nonce, msisdn: newPayer(), amount: 499 } }
  }),
  onPage(422, 'amount_too_large', 'a franc above the bound', async (stage) => {
    const { path, nonce } = await linkPage(stage, { kind: 'free', min_amount: 500, max_amount: 1000 })
    return { path, fields: { nonce, msisdn: newPayer(), amount: 1_001 } }
  }),
  onPage(422, 'amount_above_limit', 'a link above the limit for one payment', async (stage) => {
    const { path, nonce } = await linkPage(stage, { kind: 'free', min_amount: 500, max_amount: 9000000 })
    return { path, fields: { nonce, msisdn: newPayer(), amount: 2_000_001 } }
  }),
  onPage(429, 'too_many_attempts', 'one attempt too many on one number', async (stage) => {
    // The third process lets a number be asked once.
    const msisdn = newPayer()
    const { path, nonce } = await page(stage)
    const other = await page(stage)
    const asked = { method: 'POST', path: other.path, headers: json, body: { nonce: other.nonce, msisdn } }
    assert.equal((await stage.installation.ask(asked, 2)).status, 200)
    await untilStatus(stage.installation, other.path, 'paid')
    return { path, fields: { nonce, msisdn }, process: 2 }
  }),
  onPage(429, 'rate_limit_exceeded', 'one attempt too many from one address', async (stage) => {
    const { path, nonce } = await page(stage)
    const asked = { method: 'POST', path, headers: json, body: { nonce, msisdn: 'x' } }
    await waitFor(async () => isLimited(await stage.installation.ask(asked, 1)), PATIENCE)
    return { path, fields: { nonce, msisdn: newPayer() }, process: 1 }
  }),
  ...[undefined, '', 'x', 7, null].map((nonce) =>
    onPage(400, 'invalid_request', `the nonce ${JSON.stringify(nonce)}`, async (stage) => {
      const { path } = await page(stage)
      return { path, fields: { nonce, msisdn: newPayer() } }
    }),
  ),
  onPage(400, 'invalid_request', "another page's nonce", async (stage) => {
    const { path } = await page(stage)
    const other = await page(stage)
    return { path, fields: { nonce: other.nonce, msisdn: newPayer() } }
  }),
  onPage(400, 'invalid_request', 'a code that is none', async (stage) => {
    const { path, nonce } = await page(stage)
    return { path: `${path}/code`, fields: { nonce, code: '12' } }
  }),
  onPage(400, 'invalid_request', 'a code that nobody waits for', async (stage) => {
    const { path, nonce } = await page(stage)
    return { path: `${path}/code`, fields: { nonce, code: '123456' } }
  }),
]

const faults: RefusalCase[] = [
  faultCase(
    POST,
    ['checkout_sessions', 'description'],
    (stage) => ({ ...sessionFor(keyOf(stage), { amount: 100 }), idempotency_key: randomUUID() }),
    async ({ installation }, asked) => assert.equal((await installation.ask(asked)).status, 201),
    'checkout_creation_failed',
  ),
  faultCase(
    POST,
    ['payments', 'description'],
    async (stage) => {
      const { path, nonce } = await page(stage)
      return { method: 'POST', path, headers: json, body: { nonce, msisdn: newPayer() } }
    },
    async ({ installation }, asked) => assert.equal((await installation.ask(asked)).status, 200),
    'payment_failed',
  ),
  ...[
    [null, null, null],
    [null, 500, null],
    [null, 1_000, 500],
    [null, 0, 500],
    [500, 100, 1_000],
  ].map(([amount, min, max]) =>
    onPage(500, 'bornes_illisibles', `${amount}, ${min} to ${max}`, async (stage) => {
      const { path, nonce, link_id } = await linkPage(stage, { kind: 'free', min_amount: 500, max_amount: 1000 })
      const { sql } = stage.installation.db
      // The database refuses such a link, as long as it is asked to.
      await sql`alter table payment_links drop constraint if exists payment_links_amounts`
      await sql`
        update payment_links
           set amount = ${amount!}, min_amount = ${min!}, max_amount = ${max!}
         where id = ${link_id}`
      return { path, fields: { nonce, msisdn: newPayer(), amount: 700 } }
    }),
  ),
]

/** Every refusal of the route and of the pages it makes. */
export const checkoutRefusals: readonly RefusalCase[] = [
  ...doors,
  ...fields,
  ...idempotency,
  ...states,
  ...payers,
  ...faults,
]
