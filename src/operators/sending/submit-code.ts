import { crashPoint } from '../../platform/crash-point.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Secret } from '../../values/secret.ts'
import { type InstructionKey, orderOf } from '../instruction.ts'
import { connectorOf, type Registry } from '../routing/registry.ts'
import * as store from '../store.ts'
import type { Answer } from './answer.ts'
import { beginCodeSubmission, wasCodeSubmitted } from './code-store.ts'
import type { RecordAnswer } from './record/received-answer.ts'
import { withinDeadline } from './within-deadline.ts'

/**
 * Milliseconds within which a code must leave, counted from its arrival, shortly before the intent was committed. A process that froze in
 * between and wakes later passes on nothing, because people may have acted on the payment by then. The code was in this process alone, so
 * it is certain that no money moved.
 */
const SUBMIT_WITHIN = 30_000

type Dependencies = { sql: Sql; log: Log; registry: Registry; record: RecordAnswer }

export type SubmitCode = (key: InstructionKey, code: Secret) => Promise<'submitted' | 'submitted_before' | 'not_asked'>

/**
 * Passes a payer's one-time code to the operator. A code can move money, so it is handled like a send: the intent is
 * committed first, the code is passed on once, and a call that does not return is `unknown` and only asked about.
 * Operators accept one try; after a wrong code the payer starts another attempt. The code is stored nowhere.
 */
export function createSubmitCode({ sql, log, registry, record }: Dependencies): SubmitCode {
  return async (key, code) => {
    const takenAt = performance.now()
    const [instruction] = await store.readInstructionsIn(sql, ['sent'], [key])
    const connector = instruction === undefined ? null : connectorOf(registry, instruction)
    if (instruction === undefined || connector?.submitCode === undefined) return before(key)
    if (!(await beginCodeSubmission(sql, key))) return before(key)
    crashPoint('before_send')
    const tooLate = performance.now() - takenAt > SUBMIT_WITHIN
    const answer = tooLate
      ? neverLeft
      : await withinDeadline(() => connector.submitCode!(orderOf(instruction), code), log)
    crashPoint('after_send')
    const about_code = answer.kind === 'refused' ? ({ ...answer, of_code: true } as const) : answer
    await record({ key: instruction, source: 'send', answer: about_code })
    return 'submitted'
  }

  async function before(key: InstructionKey) {
    return (await wasCodeSubmitted(sql, key)) ? 'submitted_before' : 'not_asked'
  }
}

const neverLeft: Answer = {
  kind: 'refused',
  failure_code: 'operator_unavailable',
  evidence: { reason: 'the process was frozen before it passed on the code' },
}
