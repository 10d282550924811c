import type { Registry, Routed } from './registry.ts'

/**
 * Whether the operator that collected a payment can give it back through its connector: the whole of it at once, or a part.
 * Otherwise a person refunds by hand, also when that operator has no connector any more.
 */
export function createCanRefund(registry: Registry) {
  return (collected: Pick<Routed, 'merchant_id' | 'livemode' | 'operator'>, whole: boolean): boolean => {
    const { merchant_id, livemode, operator } = collected
    const connector = registry.connectorFor({ merchant_id, livemode, operator, direction: 'refund' })
    const refund = connector?.capabilitiesOf(operator)?.refund ?? 'none'
    return refund === 'partial' || (refund === 'full' && whole)
  }
}
