import type { Instruction } from './instruction.ts'
import type { Registry } from './routing/registry.ts'

type Collection = Pick<Instruction, 'merchant_id' | 'livemode' | 'operator' | 'connector'>

/**
 * Creates the check whether a payment can be refunded by its connector, in full or in part. Otherwise a person refunds
 * it by hand, also when its connector no longer exists. For a simulated collection, the connector is the one that would
 * carry its refund now.
 */
export function createCanRefund(registry: Registry) {
  return (collected: Collection, whole: boolean): boolean => {
    const { merchant_id, livemode, operator, connector: name } = collected
    const connector =
      name === null
        ? registry.connectorFor({ merchant_id, livemode, operator, direction: 'refund' })
        : registry.connectorNamed(name)
    const refund = connector?.capabilitiesOf(operator)?.refund ?? 'none'
    return refund === 'partial' || (refund === 'full' && whole)
  }
}
