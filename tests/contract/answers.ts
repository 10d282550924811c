import assert from 'node:assert/strict'
import type { Answer } from './ask.ts'
import { VERSION } from './interface.ts'
import { type Payment, paymentFields } from './payment-fields.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Checks the headers that every answer carries, whatever its status. */
export function checkHeaders({ headers, raw_headers }: Answer, why = ''): void {
  const id = headers['service-request-id']
  assert.match(String(id), UUID, `${why}: a request id`)
  assert.equal(headers['legacy-request-id'], id, `${why}: the same under the legacy name`)
  assert.equal(headers['service-version'], VERSION, why)
  assert.equal(headers['content-type'], 'application/json; charset=utf-8', why)
  const names = raw_headers.filter((_, at) => at % 2 === 0)
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length, `${why}: no header twice`)
}

/** A refusal in every respect: status, code, shape, headers, and those of its status. Returns its message. */
export function checkRefusal(answer: Answer, status: number, code: string, why = ''): string {
  assert.deepEqual([answer.status, codeOf(answer)], [status, code], `${why}: ${answer.text}`)
  checkHeaders(answer, why)
  const body = answer.json() as { error: { code: string; message: string } }
  assert.deepEqual(Object.keys(body), ['error'], why)
  assert.deepEqual(Object.keys(body.error), ['code', 'message'], why)
  assert.ok(typeof body.error.message === 'string' && body.error.message.length > 0, why)
  assert.equal(answer.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined, why)
  if (status === 429) checkRateHeaders(answer, why)
  else for (const name of rateHeaders) assert.equal(answer.headers[name], undefined, `${why}: ${name}`)
  return body.error.message
}

/**
 * Whether the rate is reached, and stays so for the next request: a window that is about to end does not count. Windows end
 * with each minute of the clock.
 */
export function isLimited({ status, headers }: Answer): boolean {
  return status === 429 && Number(headers['ratelimit-reset']) > 5
}

const rateHeaders = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']

function checkRateHeaders({ headers }: Answer, why: string): void {
  for (const name of rateHeaders) assert.match(String(headers[name]), /^\d+$/, `${why}: ${name}`)
  const reset = Number(headers['ratelimit-reset'])
  assert.ok(reset >= 1 && reset <= 60, `${why}: the window starts again within a minute`)
  assert.equal(headers['retry-after'], headers['ratelimit-reset'], why)
  assert.ok(Number(headers['ratelimit-remaining']) <= Number(headers['ratelimit-limit']), why)
}

/** The code of a refusal; null when the answer is none. */
export function codeOf({ text }: Pick<Answer, 'text'>): string | null {
  return text.startsWith('{"error"') ? (JSON.parse(text) as { error: { code: string } }).error.code : null
}

/** A payment in every respect, with `expected` among its fields. Returns it. */
export function checkPayment(answer: Answer, status: number, expected: Partial<Payment> = {}, why = ''): Payment {
  assert.equal(answer.status, status, `${why}: ${answer.text}`)
  checkHeaders(answer, why)
  const payment = answer.json() as Payment
  checkPaymentShape(payment, why)
  for (const [name, value] of Object.entries(expected)) {
    assert.deepEqual(payment[name as keyof Payment], value, `${why}: ${name}`)
  }
  return payment
}

/**
 * Exactly the fields of the interface, in its order; `next_action` only while there is something to do, `amount_refunded`
 * only once something was refunded, `checkout_session_id` only when it was paid on a hosted page.
 */
export function checkPaymentShape(payment: Payment, why = ''): void {
  const { next_action, amount_refunded, checkout_session_id, ...rest } = payment
  const [shown, promised] = [Object.keys(rest), Object.keys(paymentFields)]
  assert.deepEqual(
    shown,
    promised,
    `${why}: the fields of a payment, which src/payments/store.ts reads, src/payments/payment.ts shows and tests/contract/payment-fields.ts promises`,
  )
  for (const [name, isRight] of Object.entries(paymentFields)) {
    const value = (rest as Record<string, unknown>)[name]
    assert.ok(isRight(value), `${why}: ${name} is ${JSON.stringify(value)}`)
  }
  if (checkout_session_id !== undefined) assert.match(checkout_session_id, /^cs_[0-9a-z]{26}$/, why)
  const { status, fee_amount, net_amount, amount, amount_collected } = payment
  assert.equal(net_amount + fee_amount, amount_collected, `${why}: francs add up`)
  assert.ok(amount === amount_collected || amount === net_amount, `${why}: one of the two bears the fee`)
  const reached = ['succeeded', 'refunded', 'partially_refunded'].includes(status)
  assert.equal(payment.succeeded_at !== null, reached, `${why}: succeeded_at`)
  assert.equal(payment.failed_at !== null, status === 'failed', `${why}: failed_at`)
  assert.equal(payment.failure_code !== null, status === 'failed', `${why}: failure_code`)
  assert.equal(payment.failure_message !== null, status === 'failed', `${why}: failure_message`)
  const refunded = status === 'refunded' || status === 'partially_refunded'
  assert.equal(amount_refunded !== undefined, refunded, `${why}: amount_refunded`)
  if (refunded) assert.equal(amount_refunded === amount, status === 'refunded', `${why}: amount_refunded`)
  if (next_action === undefined) return
  assert.equal(status, 'pending', `${why}: only a pending payment waits for its payer`)
  assert.ok(['approve_on_phone', 'redirect', 'enter_code'].includes(next_action.type), why)
  assert.equal(typeof next_action.message, 'string', why)
}
