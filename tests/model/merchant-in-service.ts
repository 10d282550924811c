import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { type Balances, readBalances } from '../../src/ledger/balances.ts'
import type { FeeSchedule } from '../../src/merchants/fees.ts'
import { setCaps } from '../../src/payouts/caps/set-caps.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Tenant } from '../../src/values/caller.ts'
import type { Answer, Asked } from '../contract/ask.ts'
import { IBAN } from '../contract/book.ts'
import { BATCHES, PATIENCE, PAYOUTS, post } from '../contract/sender.ts'
import { SETTLEMENTS } from '../contract/settler.ts'
import { checkStatement, STATEMENTS } from '../contract/statement-answers.ts'
import { actor } from '../harness/actor.ts'
import { approveBatch, approveRequest, rejectRequest } from '../harness/approvals.ts'
import { depositToTransfer, moveToTransfer } from '../harness/fill-transfer.ts'
import type { Installation } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { livemode, mode } from '../harness/mode.ts'
import { createRefund } from '../harness/refunds.ts'
import { paySettlement, rejectSettlement, validateSettlement } from '../harness/settlements.ts'
import { waitFor } from '../harness/wait-for.ts'
import {
  COLLECTION_BASIS_POINTS,
  type Expected,
  type MerchantModel,
  type ModelLine,
  PAYOUT_FEE,
} from './merchant-model.ts'

/** The ends of numbers whose operator pays or is paid, and of those whose operator refuses. */
const ARRIVES = ['1234', '0005']
const REFUSES = ['0001', '0002']

/** A call that succeeded, to be repeated later. */
type Done = { asked: Asked; answer: Answer }

type Verdict = { kind: string; code?: string }

/**
 * The merchant of a model in the real service: its calls go to the API, the acts of people to the operations behind their screens and
 * commands.
 */
export class MerchantInService {
  readonly #installation: Installation
  readonly #tenant: Tenant
  readonly #keys: { collect: string; payout: string }
  readonly #destination: string
  readonly #clock = createClock()
  readonly payments: string[] = []
  readonly requests: string[] = []
  readonly batches: string[] = []
  readonly settlements: string[] = []
  readonly done: Done[] = []
  /** The number of acts so far. */
  acts = 0
  #numbers = 0

  private constructor(
    installation: Installation,
    tenant: Tenant,
    keys: { collect: string; payout: string },
    destination: string,
  ) {
    this.#installation = installation
    this.#tenant = tenant
    this.#keys = keys
    this.#destination = destination
  }

  static async open(installation: Installation): Promise<MerchantInService> {
    const { sql } = installation.db
    const merchant = await newMerchant(sql)
    const { merchant_id } = merchant
    for (const { service, effective_from, basis_points, fixed } of [collectionFee, payoutFee]) {
      await sql`
        insert into fee_schedules (merchant_id, service, effective_from, basis_points, fixed)
        values (${merchant_id}, ${service}, ${effective_from}, ${basis_points}, ${fixed})`
    }
    const { key } = await merchant.newKey(mode, 'payout')
    const [row] = await sql<{ id: string }[]>`
      insert into beneficiaries (merchant_id, livemode, kind, name, iban, last4, designated_at)
      values (${merchant_id}, ${livemode}, 'settlement', 'Boutique', ${IBAN}, ${IBAN.slice(-4)}, clock_now() - interval '9 days')
      returning id`
    return new MerchantInService(
      installation,
      { merchant_id, livemode },
      { collect: merchant.key, payout: key },
      row!.id,
    )
  }

  get #sql() {
    return this.#installation.db.sql
  }

  async collect(amount: number, pays: boolean): Promise<Answer> {
    const body = { amount, counterparty: { msisdn: this.#number(pays) } }
    const answer = await this.#call(post('/v1-payments', this.#keys.collect, body))
    this.payments.push(idIn(answer))
    return answer
  }

  payoutBody(amount: number, arrives: boolean): object {
    return { amount, beneficiary: this.#recipient(arrives) }
  }

  async payout(amount: number, arrives: boolean): Promise<Answer> {
    const answer = await this.#call(post(PAYOUTS, this.#keys.payout, this.payoutBody(amount, arrives)))
    if (answer.status === 202) this.requests.push(idIn(answer))
    return answer
  }

  /** Sends several equal payouts at once, each to both processes under one key, and returns one answer for each. */
  async payoutsAtOnce(amount: number, count: number): Promise<Answer[]> {
    const asked = Array.from({ length: count }, () => post(PAYOUTS, this.#keys.payout, this.payoutBody(amount, true)))
    const answers = await Promise.all(
      asked.map(async (one) => {
        const both = await Promise.all([0, 1].map((process) => this.#installation.ask(one, process)))
        const told = both.filter(({ text }) => codeIn(text) !== 'idempotency_in_progress')
        assert.ok(told.length > 0, 'one of two equal calls is carried out')
        const [first, second] = told
        if (second !== undefined) assert.deepEqual([second.status, second.text], [first!.status, first!.text])
        if (first!.status < 300) this.done.push({ asked: one, answer: first! })
        return first!
      }),
    )
    for (const answer of answers) if (answer.status === 202) this.requests.push(idIn(answer))
    return answers
  }

  async prepare(lines: readonly ModelLine[]): Promise<Answer> {
    const body = { lines: lines.map(({ amount, arrives }) => this.payoutBody(amount, arrives)) }
    const answer = await this.#call(post(BATCHES, this.#keys.payout, body))
    this.batches.push(idIn(answer))
    return answer
  }

  execute(batch: number): Promise<Answer> {
    return this.#ask({ method: 'POST', path: `${BATCHES}/${this.batches[batch]}/execute`, key: this.#keys.payout })
  }

  cancel(batch: number): Promise<Answer> {
    return this.#ask({ method: 'POST', path: `${BATCHES}/${this.batches[batch]}/cancel`, key: this.#keys.payout })
  }

  async settle(amount: number): Promise<Answer> {
    const body = { amount, beneficiary: this.#destination }
    const answer = await this.#call(post(SETTLEMENTS, this.#keys.payout, body))
    if (answer.status === 202) this.settlements.push(idIn(answer))
    return answer
  }

  /** Repeats a call of before, with its key. @param change whether the body differs */
  repeat({ asked }: Done, change: boolean): Promise<Answer> {
    return this.#ask(change ? { ...asked, body: { ...(asked.body as object), currency: 'xof' } } : asked)
  }

  refund(payment: number, amount: number | null): Promise<Verdict> {
    const deps = { sql: this.#sql, clock: this.#clock, canRefund: () => true }
    const order = { given_seen: null, reason: null, by_hand: false, livemode: null, requested_by: actor(AWA) }
    const key = this.#next('refund')
    return createRefund(deps, { ...order, key, amount, payment_id: this.payments[payment]! })
  }

  deposit(amount: number): Promise<Verdict> {
    return depositToTransfer(this.#sql, this.#tenant, amount, this.#clock, { by: actor(AWA) })
  }

  moveToTransfer(amount: number): Promise<Verdict> {
    return moveToTransfer(this.#sql, this.#tenant, amount, this.#clock, { by: actor(AWA) })
  }

  setCaps(caps: { operation: number; day: number }): Promise<Verdict> {
    return setCaps(this.#sql, this.#tenant, caps, actor(AWA))
  }

  approve(request: number): Promise<Verdict> {
    const payoutCaps = { payout_cap_operation: 100_000, payout_cap_day: 500_000, unchecked_day_max: 200_000 }
    return approveRequest({ ...this.#deps(), payoutCaps }, this.requests[request]!, actor(AWA))
  }

  reject(request: number): Promise<Verdict> {
    return rejectRequest(this.#deps(), this.requests[request]!, actor(AWA))
  }

  approveBatch(batch: number): Promise<Verdict> {
    return approveBatch(this.#deps(), this.batches[batch]!, actor(AWA))
  }

  validate(settlement: number, by: string): Promise<Verdict> {
    return validateSettlement(this.#deps(), this.settlements[settlement]!, actor(by))
  }

  pay(settlement: number, by: string): Promise<Verdict> {
    return paySettlement(this.#deps(), this.settlements[settlement]!, actor(by), this.#next('VIR'))
  }

  rejectSettlement(settlement: number): Promise<Verdict> {
    return rejectSettlement(this.#deps(), this.settlements[settlement]!, actor(AWA), 'Compte clôturé')
  }

  balances(): Promise<Balances | null> {
    return readBalances(this.#sql, this.#tenant)
  }

  async statusOf(kind: 'payments' | 'batches' | 'settlements', at: number): Promise<unknown> {
    const path = { payments: '/v1-payments', batches: BATCHES, settlements: SETTLEMENTS }[kind]
    const key = kind === 'payments' ? this.#keys.collect : this.#keys.payout
    const answer = await this.#ask({ path: `${path}/${this[kind][at]}`, key })
    return (answer.json() as { status: unknown }).status
  }

  /** Waits until the service says of the merchant's money what the model says. */
  async agrees({ available, transfer, settlements_in_flight }: MerchantModel): Promise<void> {
    this.acts += 1
    const expected = { available, transfer, payouts_in_flight: 0, settlements_in_flight }
    await this.#become(expected, () => this.balances(), 'the balances')
  }

  /** The same of every operation. */
  async agreesOnAll(model: MerchantModel): Promise<void> {
    for (const kind of ['payments', 'batches', 'settlements'] as const) {
      for (const [at, { status }] of model[kind].entries()) {
        await this.ends(kind, at, status)
      }
    }
  }

  /** Waits until an operation has the status. */
  ends(kind: 'payments' | 'batches' | 'settlements', at: number, status: string): Promise<void> {
    return this.#become(status, () => this.statusOf(kind, at), `${kind} ${at}`)
  }

  /** The statement of the whole time closes on the available balance. */
  async statementCloses(): Promise<void> {
    const path = `${STATEMENTS}?from=2026-01-01&to=2099-12-31&limit=500`
    const statement = checkStatement(await this.#ask({ path, key: this.#keys.collect }))
    const { opening_balance, total_in, total_out, closing_balance } = statement
    const { available } = (await this.balances())!
    assert.deepEqual([opening_balance + total_in - total_out, closing_balance], [available, available])
  }

  async #become(expected: unknown, read: () => Promise<unknown>, what: string): Promise<void> {
    let last: unknown
    await waitFor(
      async () => {
        last = await read()
        return isDeepStrictEqual(last, expected)
      },
      { ...PATIENCE, what },
    ).catch(() => assert.deepEqual(last, expected, what))
  }

  #deps() {
    const settings = () => ({ active: true, is_checked: true, collection_amount_max: null, fee_schedules: [payoutFee] })
    return { sql: this.#sql, clock: this.#clock, settings }
  }

  async #call(asked: Asked): Promise<Answer> {
    const answer = await this.#ask(asked)
    if (answer.status < 300) this.done.push({ asked, answer })
    return answer
  }

  #ask(asked: Asked): Promise<Answer> {
    this.#numbers += 1
    return this.#installation.ask(asked, this.#numbers % 2)
  }

  #number(arrives: boolean): string {
    const ends = arrives ? ARRIVES : REFUSES
    this.#numbers += 1
    return `07${String(this.#numbers % 10_000).padStart(4, '0')}${ends[this.#numbers % ends.length]}`
  }

  #recipient(arrives: boolean): object {
    return { msisdn: this.#number(arrives), operator: 'orange_ci', name: 'Awa Koné' }
  }

  #next(word: string): string {
    this.#numbers += 1
    return `${word} ${this.#tenant.merchant_id} ${this.#numbers}`
  }
}

/** The two people of the staff. */
export const AWA = 'awa@example.com'
export const ISSA = 'issa@example.com'

// In force long ago: a process notices within a second that the clock was moved, and would not know a newer schedule before.
const free = {
  effective_from: new Date('2026-01-01'),
  fixed: 0,
  minimum: 0,
  maximum: null,
  bearer: 'merchant',
} as const
const collectionFee: FeeSchedule = { ...free, service: 'collection', basis_points: COLLECTION_BASIS_POINTS }
const payoutFee: FeeSchedule = { ...free, service: 'payout', basis_points: 0, fixed: PAYOUT_FEE }

function idIn(answer: Answer): string {
  return (answer.json() as { id: string }).id
}

function codeIn(text: string): string | undefined {
  return (JSON.parse(text) as { error?: { code: string } }).error?.code
}

/** Whether an answer is the expected one, as far as the model says. */
export function checkAnswer(answer: Answer, expected: Expected): void {
  const { status, reason, limit, code } = { reason: undefined, limit: undefined, code: undefined, ...expected }
  const body = answer.json() as { reason?: string; limit?: number }
  assert.deepEqual(
    {
      status: answer.status,
      code: codeIn(answer.text),
      ...(reason !== undefined && { reason: body.reason, limit: body.limit }),
    },
    { status, code, ...(reason !== undefined && { reason, limit }) },
    answer.text,
  )
}

/** Whether an act of a person was carried out or refused, as the model says. */
export function checkVerdict(verdict: Verdict, expected: string): void {
  assert.equal(verdict.kind, expected, JSON.stringify(verdict))
}
