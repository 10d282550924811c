import { randomUUID } from 'node:crypto'
import { after, before } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import type { Merchant } from '../harness/merchant.ts'
import type { Answer, Asked } from './ask.ts'

/** A service for the tests of a file, and the calls of a merchant of it, each POST with a key of idempotency of its own. */
export function openCalls() {
  let installation: Installation
  let merchant: Merchant
  let payoutKey: string
  before(async () => {
    installation = await openInstallation()
    merchant = await installation.newMerchant()
    payoutKey = (await merchant.newKey('test', 'payout')).key
  })
  after(() => installation[Symbol.asyncDispose]())

  const collects = () => merchant.key
  const pays = () => payoutKey
  const post =
    (path: string, key: () => string) =>
    (body: unknown, more: Partial<Asked> = {}): Promise<Answer> =>
      installation.ask({ path, key: key(), idempotency_key: randomUUID(), body, ...more })
  const postBatch = post('/v1-payout-batches', pays)
  return {
    collects,
    pays,
    pay: post('/v1-payments', collects),
    open: post('/v1-checkout', collects),
    send: post('/v1-payouts', pays),
    batch: (...lines: unknown[]) => postBatch({ lines }),
    add: post('/v1-beneficiaries', pays),
    settle: post('/v1-settlements', pays),
    submit: post('/x/payments/txn_1/code', collects),
    get: (path: string, key = collects, headers: Record<string, string> = {}) =>
      installation.ask({ path, key: key(), headers }),
    ask: (asked: Parameters<Installation['ask']>[0]) => installation.ask(asked),
    sql: () => installation.db.sql,
  }
}
