import { hash } from 'node:crypto'
import { canonicalJson } from '../../platform/http/strict-json.ts'
import type { Instruction } from '../instruction.ts'
import { connectorOf, type Registry } from '../routing/registry.ts'

/**
 * The terms of a send, stored in the journal with its reference, so that the database itself can decide about another
 * send.
 */
export type Terms = {
  /**
   * SHA-256 of the order as its connector sees it and of the settings' generation. Another send must have the same
   * hash.
   */
  payload_hash: Buffer
  /**
   * How often the operator must answer that it does not hold the reference. Null when it promises nothing, so that the
   * order is never sent again.
   */
  again_times: number | null
  /** Seconds after the send from which such an answer counts. */
  again_after_seconds: number | null
}

export type SendTerms = (instruction: Instruction) => Terms

/** Returns the terms of a send by the operator's present promises. */
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

/** Whether an order that left on the earlier terms may leave again on the later ones. */
export function isOnSameTerms(earlier: Terms, later: Terms): boolean {
  return (
    earlier.payload_hash.equals(later.payload_hash) &&
    earlier.again_times === later.again_times &&
    earlier.again_after_seconds === later.again_after_seconds
  )
}

/**
 * Hashes everything in the order from which a connector builds its request, but not what the operator has told us. It
 * includes the generation of the settings, because other settings may belong to another account, which would execute
 * the order a second time.
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
