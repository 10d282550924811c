import type { FailureCode } from '../../values/failure-codes.ts'
import { type Msisdn, operatorOfPrefix } from '../../values/msisdn.ts'
import { isOperatorCode, type OperatorCode } from '../../values/operators.ts'
import { takesFromNumber } from '../collects-from-number.ts'
import type { Instruction } from '../instruction.ts'
import type { Capabilities } from '../port.ts'
import type { Conclusion } from '../sending/decide.ts'

/**
 * The facts that ended orders taught about a number, where they differ from its prefix. `operator`: the one through
 * which money last moved; null when it has denied the number since, or when no money moved. `refused_by`: the operators
 * that have denied the number since then.
 */
export type Known = { readonly operator: OperatorCode | null; readonly refused_by: readonly OperatorCode[] }

/**
 * The operator that probably serves a number.
 * - `basis`: `prefix`, the operator that holds the number's range, also after orders that agreed with it; `learned`,
 *   the outcomes of earlier orders.
 * - `confidence`: `high`, money last moved through it; `medium`, nothing contradicts the prefix; `none`, there is no
 *   operator to name.
 */
export type Prediction =
  | { operator: OperatorCode; confidence: 'high'; basis: 'learned' }
  | { operator: OperatorCode; confidence: 'medium'; basis: 'prefix' }
  | { operator: null; confidence: 'none'; basis: 'prefix' | 'learned' }

/**
 * Predicts the operator of a number. Pure.
 * @param known null when nothing differs from its prefix
 * @param offered the operators that may be named; all when absent
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

/** The lesson of one ended order. `served`: money moved for this number through this operator. Otherwise the operator denied the number. */
export type Lesson = { msisdn: Msisdn; operator: OperatorCode; served: boolean }

/** The failures by which an operator says that it does not serve a number. All others say nothing about that. */
const notOurs: readonly FailureCode[] = ['payer_not_found', 'recipient_not_found']

/**
 * The lesson of an ended order. Null when it teaches nothing. A refund repeats the lesson of its collection. A
 * collection paid through a link teaches nothing, unless its operator takes the money only from the named number:
 * another wallet may have paid.
 * @param capabilities of its connector for its operator; null when no operator was asked, as with `simulate`
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
  return direction === 'collect' && !takesFromNumber(capabilities) ? null : { msisdn, operator, served: true }
}

/**
 * The facts about a number after one more lesson. Null when nothing differs from its prefix. Only the last success
 * counts: a person who changes operators is served by the new one. Pure.
 */
export function learn(known: Known | null, { msisdn, operator, served }: Lesson): Known | null {
  if (served) return operator === operatorOfPrefix(msisdn) ? null : { operator, refused_by: [] }
  const before = known ?? { operator: null, refused_by: [] }
  const refused_by = [...before.refused_by.filter((one) => one !== operator), operator].sort()
  return { operator: before.operator === operator ? null : before.operator, refused_by }
}

/** Whether two sets of facts are equal. */
export function isSameKnown(one: Known | null, other: Known | null): boolean {
  if (one === null || other === null) return one === other
  return one.operator === other.operator && one.refused_by.join() === other.refused_by.join()
}
