import assert from 'node:assert/strict'
import { createAddresses } from '../../src/checkout/addresses.ts'
import { createLink } from '../../src/checkout/create-link.ts'
import type { LinkAmount } from '../../src/checkout/link.ts'
import type { LinkFacts, PageFacts, SessionFacts } from '../../src/checkout/page/facts.ts'
import type { CheckoutSession } from '../../src/checkout/session.ts'
import { RIGHT_CODE } from '../../src/operators/simulator/scenarios.ts'
import { createClock } from '../../src/platform/clock.ts'
import { Secret } from '../../src/values/secret.ts'
import type { Installation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { perform } from '../harness/perform.ts'
import { readOperatorOrders } from '../harness/twin-as-operator.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkHeaders } from './answers.ts'
import type { Answer, Asked } from './ask.ts'
import { proveOrder } from './change-of-mind.ts'
import { PATIENCE } from './sender.ts'

const CHECKOUT = '/v1-checkout'

/** The headers that ask for a page's JSON form. */
export const json = { Accept: 'application/json' }

/** The request that creates a session. */
export function sessionFor(key: string, body: unknown = { amount: 10_000 }, more: Partial<Asked> = {}): Asked {
  return { method: 'POST', path: CHECKOUT, key, body, ...more }
}

/** A session as its creation answers it. */
export async function newSession(
  { ask }: Installation,
  key: string,
  body: unknown = { amount: 10_000 },
): Promise<CheckoutSession & { url: string; path: string }> {
  const answer = await ask(sessionFor(key, body))
  assert.equal(answer.status, 201, answer.text)
  const session = answer.json() as CheckoutSession & { url: string }
  return { ...session, path: new URL(session.url).pathname }
}

/** Creates a link as an operator of the service does, and returns its id and the path of its address. */
export async function newLink(
  { bandama }: Installation,
  merchant_id: number,
  ...words: string[]
): Promise<{ link_id: string; url: string; path: string }> {
  const made = await bandama('link', 'create', '--merchant', String(merchant_id), '--mode', mode, ...words)
  const { link_id, url } = made as { link_id: string; url: string }
  return { link_id, url, path: new URL(url).pathname }
}

/** Makes a link without the command, for tests that are not about it. */
export async function addLink(
  { db: { sql }, services }: Installation,
  merchant_id: number,
  amount: LinkAmount,
  reusable = true,
): Promise<{ link_id: string; path: string }> {
  const { secret_key, address } = services[0]!
  const addresses = createAddresses({ secretKey: new Secret(secret_key), origin: () => address })
  const francs =
    amount.kind === 'fixed'
      ? { amount: amount.amount, min: null, max: null }
      : { amount: null, min: amount.min_amount, max: amount.max_amount }
  const values = { ...francs, reusable, description: null, reference: null, whatsapp: null, until: null }
  const deps = { sql, clock: createClock(), links: { addresses } }
  const made = await perform(createLink, deps, { tenant: { merchant_id, livemode }, values })
  assert.ok(made.kind === 'done')
  return { link_id: made.result.link_id, path: new URL(made.result.url).pathname }
}

/** Opens a page in its JSON form. */
export async function open<Facts extends PageFacts = SessionFacts>(
  { ask }: Installation,
  path: string,
  process = 0,
): Promise<Facts> {
  const answer = await ask({ path, headers: json }, process)
  assert.equal(answer.status, 200, answer.text)
  checkHeaders(answer)
  return answer.json() as Facts
}

export const openLink = (installation: Installation, path: string) => open<LinkFacts>(installation, path)

/** Sends the form of a page, as JSON. */
export function submit(
  { ask }: Installation,
  path: string,
  fields: Record<string, unknown>,
  { process = 0, headers = {} }: { process?: number; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return ask({ method: 'POST', path, headers: { ...json, ...headers }, body: fields }, process)
}

/** Opens a page and pays on it; returns the session's facts after the submit. */
export async function payOn(
  installation: Installation,
  path: string,
  msisdn: string,
  more: Record<string, unknown> = {},
): Promise<SessionFacts> {
  const { nonce } = await open<PageFacts>(installation, path)
  const answer = await submit(installation, path, { nonce, msisdn, ...more })
  assert.equal(answer.status, 200, answer.text)
  return answer.json() as SessionFacts
}

/** Opens a session's page until it is as wanted. */
export function until(
  installation: Installation,
  path: string,
  what: string,
  isRight: (facts: SessionFacts) => boolean,
): Promise<SessionFacts> {
  return waitFor(
    async () => {
      const facts = await open(installation, path)
      return isRight(facts) && facts
    },
    { ...PATIENCE, what },
  )
}

export const untilStatus = (installation: Installation, path: string, status: SessionFacts['status']) =>
  until(installation, path, `the session to be ${status}`, (facts) => facts.status === status)

export const untilAttempt = (installation: Installation, path: string, status: string) =>
  until(installation, path, `the attempt to be ${status}`, ({ attempt }) => attempt?.status === status)

/** Waits until the operator has given the payer's next step, because an attempt is pending before that. */
export const untilAsked = (installation: Installation, path: string) =>
  until(installation, path, 'what the payer is to do', ({ attempt }) => attempt?.next_action != null)

/**
 * Types the code on a session's page, once it asks for one. In live mode the payer says the same on the telephone, yes or no, to the oldest
 * request that rings there: such a payer has a number of their own.
 */
export async function typeCode(installation: Installation, path: string, code: string): Promise<void> {
  const { nonce, attempt } = await untilAsked(installation, path)
  if (installation.twin !== null) {
    const reference = await referenceOf(installation, attempt!.payment_id)
    const asking = installation.twin.operations().find((one) => one.reference === reference)!
    const telephone = installation.twin.phone(asking.msisdn!)
    await (code === RIGHT_CODE ? telephone.approve() : telephone.decline())
    return
  }
  const answer = await submit(installation, `${path}/code`, { nonce, code })
  assert.equal(answer.status, 200, answer.text)
}

/** A merchant's number of payments, and of the orders that the operator accepted for it. */
export async function countPayments({ db: { sql } }: Installation, merchant_id: number) {
  const [row] = await sql<{ payments: number; references: string[] }[]>`
    select (select count(*)::int from payments where merchant_id = ${merchant_id}) as payments,
           array(select reference::text from instructions where merchant_id = ${merchant_id}) as references`
  const { payments, references } = row!
  const taken = await readOperatorOrders(sql)
  return { payments, orders: taken.filter(({ reference }) => references.includes(reference)).length }
}

/** The operator's reference of a payment, payout or refund whose sending has begun. */
export function referenceOf({ db: { sql } }: Installation, subject_id: string): Promise<string> {
  return waitFor(
    async () => {
      const [row] = await sql<{ reference: string }[]>`
        select reference::text from instructions where subject_id = ${subject_id}`
      return row?.reference ?? false
    },
    { ...PATIENCE, what: `${subject_id} to be sent` },
  )
}

/** Checks at the end of a test that the audit passes. */
export async function auditPasses({ bandama }: Installation): Promise<void> {
  const report = await bandama('audit').catch(({ stdout, stderr }) => ({ ok: false, said: `${stdout}${stderr}` }))
  assert.equal(report.ok, true, JSON.stringify(report))
}

/** From now on the operator reports a failed or lapsed payment as paid, and sends a callback. */
export async function proveLate(installation: Installation, payment_id: string): Promise<void> {
  await proveOrder(installation, await referenceOf(installation, payment_id))
}
