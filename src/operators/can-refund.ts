import type { Registry } from './registry.ts'

/**
 * Whether the operator that collected a payment can give it back through its connector: the whole of it at once, or a part.
 * Otherwise a person refunds by hand, also when that operator has no connector any more.
 */
export function createCanRefund(registry: Registry) {
  return (collected: { livemode: boolean; operator: string | null }, whole: boolean): boolean => {
    const refund = registry.connectorFor(collected)?.capabilitiesOf(collected.operator)?.refund ?? 'none'
    return refund === 'partial' || (refund === 'full' && whole)
  }
}
