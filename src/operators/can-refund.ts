import type { Registry } from './registry.ts'

/**
 * Whether the operator that collected can give it back through its connector: the whole of it at once, or a part. What it
 * cannot, a person does by hand; so is what was collected by an operator that has no connector any more.
 */
export function createCanRefund(registry: Registry) {
  return (collected: { livemode: boolean; operator: string | null }, whole: boolean): boolean => {
    const refund = registry.connectorFor(collected)?.capabilities.refund ?? 'none'
    return refund === 'partial' || (refund === 'full' && whole)
  }
}
