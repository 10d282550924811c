import type { Instruction } from './instruction.ts'
import type { Registry } from './routing/registry.ts'

type Collection = Pick<Instruction, 'merchant_id' | 'livemode' | 'operator' | 'connector'>

/**
 * Whether the connector that collected a payment can give it back: the whole of it at once, or a part. Otherwise a person refunds by
 * hand, also when that connector is there no more. Of a simulated collection it is the one that would collect now.
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
