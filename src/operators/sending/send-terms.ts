import { hash } from 'node:crypto'
import { canonicalJson } from '../../platform/http/strict-json.ts'
import type { Instruction } from '../instruction.ts'
import { connectorOf, type Registry } from '../routing/registry.ts'

/** The terms that the journal keeps of a send beside its reference, so that the database itself can judge another one. */
export type Terms = {
  /** SHA-256 of the order as its connector sees it, and of the settings under which it leaves: what leaves again has the same. */
  payload_hash: Buffer
  /** How often the operator must answer that it does not hold the reference. Null: it promises nothing, and nothing leaves again. */
  again_times: number | null
  /** For how many seconds after the send. */
  again_after_seconds: number | null
}

export type SendTerms = (instruction: Instruction) => Terms

/** The terms on which a send leaves, by what the operator promises now. */
export function createSendTerms(registry: Registry): SendTerms {
  return (instruction) => {
    const { connector } = instruction
    const payload_hash = payloadHash(instruction, connector === null ? null : registry.generationOf(connector))
    const promise = connectorOf(registry, instruction)?.promises[instruction.direction]
    if (promise?.same_reference !== 'never_twice') return { payload_hash, again_times: null, again_after_seconds: null }
    const { times, after_seconds } = promise.not_found
    return { payload_hash, again_times: times, again_after_seconds: after_seconds }
  }
}

/** Whether what left on the one terms may leave again on the others. */
export function isOnSameTerms(one: Terms, other: Terms): boolean {
  return (
    one.payload_hash.equals(other.payload_hash) &&
    one.again_times === other.again_times &&
    one.again_after_seconds === other.again_after_seconds
  )
}

/**
 * Over all of the order that a connector makes its bytes of; what an operator has told us of it is not among that. The generation of the
 * settings is, because other settings may be those of another account, which would carry out a second time what the first has done.
 */
function payloadHash(instruction: Instruction, generation: number | null): Buffer {
  const { merchant_id, livemode, direction, operator, reference, amount, currency, msisdn, refund_of } = instruction
  const order = {
    merchant_id,
    livemode,
    direction,
    operator,
    reference,
    amount,
    currency,
    msisdn,
    refund_of,
    generation,
  }
  return hash('sha256', canonicalJson(order), 'buffer')
}
