import type { Instruction } from './instruction.ts'
import type { Capabilities } from './port.ts'
import type { Registry } from './routing/registry.ts'

/** Whether the money of a collection always comes from the wallet of the number that it names. Pure. */
export function takesFromNumber({ collect_without_number, collects_from_number }: Capabilities): boolean {
  return collects_from_number ?? !collect_without_number
}

type Collection = Pick<Instruction, 'merchant_id' | 'livemode' | 'operator' | 'connector'>

/**
 * Creates the check whether a collection proves that its payer holds the number. On an operator's own page, another wallet may pay. Of a connector that
 * no longer exists nothing is known, and it proves nothing. Without a connector, as before a send, it is the one that would collect now.
 */
export function createCollectsFromNumber(registry: Pick<Registry, 'connectorFor' | 'connectorNamed'>) {
  return ({ merchant_id, livemode, operator, connector: name }: Collection): boolean => {
    const connector =
      name === null
        ? registry.connectorFor({ merchant_id, livemode, operator, direction: 'collect' })
        : registry.connectorNamed(name)
    const offered = connector?.capabilitiesOf(operator) ?? null
    return offered !== null && takesFromNumber(offered)
  }
}

export type CollectsFromNumber = ReturnType<typeof createCollectsFromNumber>
