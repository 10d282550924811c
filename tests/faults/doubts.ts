import assert from 'node:assert/strict'
import type { Instruction } from '../../src/operators/instruction.ts'
import type { Connector, ReferencePromise } from '../../src/operators/port.ts'
import { createRegistry } from '../../src/operators/routing/registry.ts'
import { createBeginSending } from '../../src/operators/sending/begin-sending.ts'
import { keyOf } from '../../src/operators/sending/jobs.ts'
import { createSendAgain } from '../../src/operators/sending/send-instruction.ts'
import { createSendTerms } from '../../src/operators/sending/send-terms.ts'
import { withSimulator } from '../../src/operators/simulator/with-simulator.ts'
import { findInstruction } from '../../src/operators/store.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { newId } from '../../src/values/ids.ts'

/** The promises of these tests' operator. */
export const promise: ReferencePromise = { same_reference: 'never_twice', not_found: { times: 3, after_seconds: 60 } }
const registryOf = (one: ReferencePromise) =>
  createRegistry(
    withSimulator({ name: 'simulator', promises: { collect: one, payout: one, refund: one } } as Connector),
  )
const termsOf = createSendTerms(registryOf(promise))

/** An answer of the operator: its kind, and its seconds after the send. */
export type Said = [outcome: string, seconds: number, source?: string]
/** Enough answers "not found", over enough time, to send an order again. */
export const notFound: Said[] = [
  ['not_found', 10],
  ['not_found', 30],
  ['not_found', 61],
]

/** Instructions in doubt, in a database without a service. */
export function openDoubts(sql: Sql) {
  /** An instruction sent ten minutes ago, with these answers of the operator since, and the promise that the operator gave at the send. */
  async function inDoubt(said: readonly Said[], promised = promise): Promise<Instruction> {
    const subject_id = newId('txn', Date.now())
    await sql`
    insert into instructions (merchant_id, livemode, subject_id, direction, operator, connector, amount, currency, msisdn, reference, state,
                              attempts, sent_at, asked)
    values (1, false, ${subject_id}, 'collect', 'orange_ci', 'simulator', 1000, 'XOF', '+2250700000000', gen_random_uuid(), 'unknown', 1,
            clock_now() - interval '10 minutes', ${said.length})`
    const instruction = (await findInstruction(sql, subject_id))!
    const terms = createSendTerms(registryOf(promised))(instruction)
    await sql`
    insert into sends (merchant_id, livemode, subject_id, attempt, connector, reference, sent_at, payload_hash, again_times,
                       again_after_seconds)
    values (1, false, ${subject_id}, 1, 'simulator', ${instruction.reference}, ${instruction.sent_at}, ${terms.payload_hash},
            ${terms.again_times}, ${terms.again_after_seconds})`
    for (const one of said) await hear(instruction, one)
    return instruction
  }

  async function hear({ subject_id }: Instruction, [outcome, seconds, source = 'inquiry']: Said): Promise<void> {
    await sql`
    insert into operator_answers (merchant_id, livemode, subject_id, number, source, outcome, evidence, answered_at)
    select 1, false, ${subject_id}, (select count(*) + 1 from operator_answers where subject_id = ${subject_id}), ${source},
           ${outcome}, '{}', max(sent_at) + make_interval(secs => ${seconds})
      from sends
     where subject_id = ${subject_id}`
  }

  /** A worker that dies before each repeated send, with the numbers of the sends that it began, and the times from which their half minute counts. */
  function dyingWorker() {
    const begun: number[] = []
    const taken_at: number[] = []
    const unused = () => assert.fail('an order is only sent again')
    const again = createSendAgain({
      begin: createBeginSending({
        sql,
        clock: createClock(),
        log: createLog('silent', 'test'),
        registry: registryOf(promise),
        mark: { collect: { lock: unused, mark: unused }, payout: unused, refund: unused },
        termsOf,
        conclude: unused,
        expiry_hours: 24,
      }),
      async send({ attempts }, takenAt) {
        begun.push(attempts)
        taken_at.push(takenAt)
      },
    })
    return { begun, taken_at, again: (instruction: Instruction) => again([keyOf(instruction)]) }
  }

  return { inDoubt, hear, dyingWorker }
}
