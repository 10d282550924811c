import type { FailureCode } from '../../values/failure-codes.ts'
import { type Msisdn, operatorOfPrefix } from '../../values/msisdn.ts'
import { isOperatorCode, type OperatorCode } from '../../values/operators.ts'
import type { Instruction } from '../instruction.ts'
import type { Capabilities } from '../port.ts'
import type { Conclusion } from '../sending/decide.ts'

/**
 * The facts that ended orders left about a number, where they differ from its prefix: the operator through which money last moved for
 * it, null when none has since that operator said no, and the operators that have said since then that the number is not theirs.
 */
export type Known = { readonly operator: OperatorCode | null; readonly refused_by: readonly OperatorCode[] }

/**
 * The operator that serves a number, as far as we can tell. `basis`: `prefix`, the operator that received the range of the number, which
 * is also all that is said of a number whose orders agreed with it; `learned`, the ends of earlier orders. `confidence`: `high`, money
 * moved through it last; `medium`, nothing is known against the prefix; `none`, there is no operator to name.
 */
export type Prediction =
  | { operator: OperatorCode; confidence: 'high'; basis: 'learned' }
  | { operator: OperatorCode; confidence: 'medium'; basis: 'prefix' }
  | { operator: null; confidence: 'none'; basis: 'prefix' | 'learned' }

/**
 * Predicts the operator of a number. Pure.
 * @param known null: nothing that differs from its prefix
 * @param offered those that may be named; absent: all
 */
export function predictOperator(
  msisdn: Msisdn,
  known: Known | null,
  offered: (operator: OperatorCode) => boolean = () => true,
): Prediction {
  const learned = known?.operator ?? null
  if (learned !== null && offered(learned)) return { operator: learned, confidence: 'high', basis: 'learned' }
  const prefix = operatorOfPrefix(msisdn)
  if (prefix === null || !offered(prefix)) return { operator: null, confidence: 'none', basis: 'prefix' }
  if (known?.refused_by.includes(prefix)) return { operator: null, confidence: 'none', basis: 'learned' }
  return { operator: prefix, confidence: 'medium', basis: 'prefix' }
}

/** The lesson of one ended order: money moved for this number through this operator, or the operator says that it is not its own. */
export type Lesson = { msisdn: Msisdn; operator: OperatorCode; served: boolean }

/** The refusals by which an operator says that it does not serve a number. All others say nothing of it. */
const notOurs: readonly FailureCode[] = ['payer_not_found', 'recipient_not_found']

/**
 * The lesson of an ended order; null: it teaches nothing. A refund repeats what its collection taught. A collection that leads its payer
 * by a link teaches nothing, unless its operator takes the money from the named number alone: another wallet may have paid.
 * @param capabilities of its connector towards its operator. Null: nobody was asked, as with `simulate`
 */
export function lessonOf(
  { direction, operator, msisdn }: Pick<Instruction, 'direction' | 'operator'> & { msisdn: Msisdn | null },
  conclusion: Conclusion,
  capabilities: Capabilities | null,
): Lesson | null {
  if (capabilities === null || direction === 'refund' || msisdn === null) return null
  if (operator === null || !isOperatorCode(operator)) return null
  if (conclusion.kind === 'failed' && notOurs.includes(conclusion.failure_code)) {
    return { msisdn, operator, served: false }
  }
  if (conclusion.kind !== 'succeeded') return null
  const { collect_without_number, collects_from_number = !collect_without_number } = capabilities
  return direction === 'collect' && !collects_from_number ? null : { msisdn, operator, served: true }
}

/**
 * A number's facts after one more lesson; null: there is nothing to keep, because all agrees with its prefix. Pure. The last success
 * counts alone: a person who changes operators is served by the new one.
 */
export function learn(known: Known | null, { msisdn, operator, served }: Lesson): Known | null {
  if (served) return operator === operatorOfPrefix(msisdn) ? null : { operator, refused_by: [] }
  const before = known ?? { operator: null, refused_by: [] }
  const refused_by = [...before.refused_by.filter((one) => one !== operator), operator].sort()
  return { operator: before.operator === operator ? null : before.operator, refused_by }
}

/** Whether two states of knowledge are the same. */
export function isSameKnown(one: Known | null, other: Known | null): boolean {
  if (one === null || other === null) return one === other
  return one.operator === other.operator && one.refused_by.join() === other.refused_by.join()
}
