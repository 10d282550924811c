import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Asked, ask } from '../contract/ask.ts'
import { outcome } from './payout-merchant.ts'

/** A request that a merchant repeats with one key until it succeeds, and its last answer. */
export type KeyedRequest = {
  asked: Asked & { idempotency_key: string }
  /** The first success. Null while the merchant does not know the result. */
  acknowledged: Answer | null
  /** The number of tries without an answer: the connection was refused or cut. */
  unanswered: number
}

export function keyedRequest(asked: Asked & { idempotency_key: string }): KeyedRequest {
  return { asked, acknowledged: null, unanswered: 0 }
}

/** The outcomes allowed instead of a success while processes die. None of them may leave an effect. */
const passing = /^(?:409 idempotency_in_progress|500 (?:payment_creation|payout|settlement)_failed|503 \w+)$/

/**
 * Asks once. Every success under one key is the same, byte for byte; everything but a success and a passing trouble
 * fails the test.
 */
export async function askFor(address: string, one: KeyedRequest): Promise<void> {
  let answer: Answer
  try {
    answer = await ask(address, one.asked)
  } catch {
    one.unanswered += 1
    return
  }
  if (answer.status >= 300) {
    assert.match(outcome(answer), passing, answer.text)
    return
  }
  assert.equal(answer.text, (one.acknowledged ?? answer).text, 'one key has one answer')
  one.acknowledged ??= answer
}

/** Repeats each request, acknowledged ones too, until it has its success. */
export async function confirmAll(address: string, requests: readonly KeyedRequest[]): Promise<void> {
  await Promise.all(
    requests.map(async (one) => {
      const before = one.unanswered
      await askFor(address, one)
      // The dead process's transaction may still be open on the server for a moment.
      for (let tries = 0; one.acknowledged === null && tries < 100; tries += 1) {
        await sleep(50)
        await askFor(address, one)
      }
      assert.ok(one.acknowledged !== null, `${JSON.stringify(one.asked.body)} never had its answer`)
      assert.ok(one.unanswered === before, 'the service answers again')
    }),
  )
}
