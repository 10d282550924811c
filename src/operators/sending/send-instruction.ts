import { chunksOf } from '../../platform/chunks.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { isConnectionLost } from '../../platform/postgres/failures.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { type Instruction, type InstructionKey, orderOf } from '../instruction.ts'
import { connectorOf, type Registry } from '../routing/registry.ts'
import type { Answer } from './answer.ts'
import type { BeginSending } from './begin-sending.ts'
import { type GroupToSend, isOfBusyMerchant, jobForGroup, SENT_TOGETHER, sendCollectionsJob } from './jobs.ts'
import { splitGroup } from './outbox-store.ts'
import type { QueryOperator, SendAgain } from './query-operator.ts'
import type { RecordAnswer } from './record/received-answer.ts'
import { simulatedAnswer, withinDeadline } from './within-deadline.ts'

/**
 * Milliseconds within which a send must begin, counted from the start of its job, shortly before the intent was
 * committed. A worker that froze in between and wakes later sends nothing, because people may have acted on the order
 * by then. It reports `not_sent`, which is certain.
 *
 * A worker that wakes within this time may send what another has already sent again. That happens only where the
 * operator promises to execute a reference once, and it answers `duplicate` to the second.
 */
const SEND_WITHIN = 30_000

/**
 * @param takenAt start of the job, in milliseconds of `performance.now()`
 * @param of_busy whether the order is one of many of its merchant (`isOfBusyMerchant`)
 */
export type SendInstruction = (instruction: Instruction, takenAt: number, of_busy?: boolean) => Promise<void>

/**
 * Sends one order to its operator and records the answer. Called once for each send that begin-sending.ts began, with
 * no transaction open. An exception, or a call that does not return in time, counts as `unknown` and never as a
 * refusal.
 */
export function createSendInstruction({
  registry,
  log,
  record,
}: {
  registry: Registry
  log: Log
  record: RecordAnswer
}): SendInstruction {
  return async (instruction, takenAt, of_busy = false) => {
    crashPoint('before_send')
    const tooLate = performance.now() - takenAt > SEND_WITHIN
    const answer = tooLate
      ? notSent('the worker was frozen before it sent')
      : (simulatedAnswer(instruction) ?? (await send(instruction)))
    crashPoint('after_send')
    await record({ key: instruction, source: 'send', answer, attempt: instruction.attempts, of_busy })
  }

  async function send(instruction: Instruction): Promise<Answer> {
    const connector = connectorOf(registry, instruction)
    if (connector === null) return notSent('its connector is not set up here')
    const answer = await withinDeadline(() => connector.send(orderOf(instruction)), log)
    registry.sendEnded(connector.name, instruction.subject_id, answer)
    return answer
  }
}

function notSent(reason: string): Answer {
  return { kind: 'not_sent', evidence: { reason } }
}

type Dependencies = { begin: BeginSending; send: SendInstruction; queryOperator: QueryOperator }

/**
 * Sends a waiting group of collections. A group that cannot be begun as a whole is split, so that one payment does not
 * block the others; that payment goes on waiting. A group leaves the outbox only when all of it was begun or expired.
 */
export function createSendGroup({ sql, begin, send, queryOperator }: Dependencies & { sql: Sql }) {
  return async ({ group, collections }: GroupToSend): Promise<void> => {
    const takenAt = performance.now()
    let begun: Instruction[] | null
    try {
      begun = await begin.group({ group, collections })
    } catch (error) {
      if (isConnectionLost(error) || collections.length === 1) throw error
      await sql.begin(async (tx) => enqueue(tx, sendCollectionsJob, (await splitGroup(tx, group)).map(jobForGroup)))
      return
    }
    if (begun === null) await queryOperator(collections, leftSending)
    else await allOf(begun.map((instruction) => send(instruction, takenAt)))
  }
}

/**
 * Sends prepared instructions, each by itself, so that one that cannot be begun, or whose answer cannot be recorded,
 * does not block the others.
 */
export function createSendPrepared({ begin, send, queryOperator }: Dependencies) {
  return async (keys: readonly InstructionKey[]): Promise<void> => {
    const of_busy = isOfBusyMerchant(keys)
    for (const chunk of chunksOf(keys, SENT_TOGETHER)) {
      const takenAt = performance.now()
      const notOurs: InstructionKey[] = []
      const sent = chunk.map(async (key) => {
        const instruction = await begin.prepared(key)
        if (instruction === null) notOurs.push(key)
        else await send(instruction, takenAt, of_busy)
      })
      await allOf(sent).finally(() => (notOurs.length > 0 ? queryOperator(notOurs, leftSending) : undefined))
    }
  }
}

/**
 * An order that another run left in `sending` belongs to a worker that died, or that we took for dead and that is still
 * sending. We ask about it at once instead of waiting for the sweep.
 */
const leftSending = ['sending'] as const

/** Sends instructions again that their operator has just said not to hold, if `begin.again` allows it. */
export function createSendAgain({ begin, send }: Pick<Dependencies, 'begin' | 'send'>): SendAgain {
  return async (keys) => {
    for (const chunk of chunksOf(keys, SENT_TOGETHER)) {
      const takenAt = performance.now()
      await allOf((await begin.again(chunk)).map((instruction) => send(instruction, takenAt)))
    }
  }
}

/**
 * Waits for all, also when one fails.
 * @throws the first failure
 */
async function allOf(ends: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(ends)).find(({ status }) => status === 'rejected')
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
}
