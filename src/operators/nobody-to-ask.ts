import type { Instruction } from './instruction.ts'
import type { Connector } from './port.ts'

/** As an operator would refuse what it cannot carry out. It leaves nothing behind with anybody. */
type Refused = { kind: 'refused'; failure_code: 'operator_configuration'; evidence: { reason: string } }

/**
 * The refusal of an instruction that can be given to nobody: no connector is set up, or a payer is to be asked whom nobody can reach. Test
 * mode refuses it as live mode does, although the simulator stands for every operator. Null when it can be given.
 */
export function nobodyToAsk(
  { direction, operator, msisdn }: Pick<Instruction, 'direction' | 'operator' | 'msisdn'>,
  connector: Pick<Connector, 'capabilitiesOf'> | null,
): Refused | null {
  if (connector === null) return refusedBecause('no connector is set up')
  if (direction !== 'collect' || msisdn !== null) return null
  if (operator === null) return refusedBecause('neither a payer nor an operator was named')
  if (connector.capabilitiesOf(operator)?.collect_without_number === true) return null
  return refusedBecause('the operator asks payers by their number, and none was given')
}

function refusedBecause(reason: string): Refused {
  return { kind: 'refused', failure_code: 'operator_configuration', evidence: { reason } }
}
