import { crashPoint } from '../platform/crash-point.ts'
import type { Log } from '../platform/log.ts'
import type { Answer } from './decide.ts'
import { type Instruction, orderOf } from './instruction.ts'
import { nobodyToAsk } from './nobody-to-ask.ts'
import type { RecordAnswer } from './record-answer.ts'
import type { Registry } from './registry.ts'
import { simulatedAnswer, withinDeadline } from './within-deadline.ts'

/**
 * Milliseconds after its job was taken up, a little before its intent was committed, in which a send may begin. A worker that
 * froze in between and wakes later sends nothing: somebody may have drawn conclusions by then. It says that it did not,
 * which is certain.
 *
 * One that wakes a little earlier may find that another has sent the same again (send-again.ts). That happens only where the operator
 * promises to carry one reference out once, and what arrives second it answers `duplicate`.
 */
const SEND_WITHIN = 30_000

/** @param takenAt when its job was taken up, in milliseconds of `performance.now()` */
export type CallOperator = (instruction: Instruction, takenAt: number) => Promise<void>

/**
 * Sends one instruction of which "sending" is committed, and takes in the answer. Called once for each time it was begun, with no
 * transaction open.
 */
export function createCallOperator({
  registry,
  log,
  record,
}: {
  registry: Registry
  log: Log
  record: RecordAnswer
}): CallOperator {
  return async (instruction, takenAt) => {
    crashPoint('before_send')
    const tooLate = performance.now() - takenAt > SEND_WITHIN
    const answer = tooLate ? notSent : await send(registry, instruction, log)
    crashPoint('after_send')
    await record({ key: instruction, source: 'send', answer, attempt: instruction.attempts })
  }
}

const notSent: Answer = { kind: 'not_sent', evidence: { reason: 'the worker was frozen before it sent' } }

async function send(registry: Registry, instruction: Instruction, log: Log): Promise<Answer> {
  const simulated = simulatedAnswer(instruction)
  if (simulated !== null) return simulated
  const connector = registry.connectorFor(instruction)
  const refused = nobodyToAsk(instruction, connector)
  return refused ?? withinDeadline(() => connector!.send(orderOf(instruction)), log)
}

/** Waits for all of them, so that one that fails keeps no other from its end. @throws the first failure */
export async function allOf(ends: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(ends)).find(({ status }) => status === 'rejected')
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
}
