import { applyEffects } from '../../../platform/commands/effects.ts'
import { crashPoint } from '../../../platform/crash-point.ts'
import type { Log } from '../../../platform/log.ts'
import type { Tx } from '../../../platform/postgres/database.ts'
import { enqueue } from '../../../platform/queue/jobs.ts'
import { insertAnomalies } from '../../doubts/anomaly-store.ts'
import { type Charge, chargeIn, correctionOf } from '../../float/charge.ts'
import { insertMovements, type Movement, readUncorrected } from '../../float/movement-store.ts'
import { type Instruction, type InstructionKey, instructionKey } from '../../instruction.ts'
import * as store from '../../store.ts'
import { jobsFor, queryOperatorJob } from '../jobs.ts'
import { markNotSent } from '../journal-store.ts'
import { type End, type JudgeDeps, type Judgement, judgeAnswers, type Stated } from './judge-answers.ts'
import type { BookCharge, Conclude, MovedAfterRefusal, ReceivedAnswer } from './received-answer.ts'

export type WriteDeps = JudgeDeps & {
  readonly log: Log
  readonly conclude: Partial<Record<Instruction['direction'], Conclude>> & { charge: BookCharge }
  /** Tells the staff of money that moved after a refusal, in the transaction that found it. */
  readonly tellMoved: (tx: Tx, moved: readonly MovedAfterRefusal[]) => void
}

/** Locks the instructions of answers of one direction, decides, and writes everything that follows. Returns the end that each answer brought. */
export async function writeAnswers(
  deps: WriteDeps,
  tx: Tx,
  direction: Instruction['direction'],
  received: readonly ReceivedAnswer[],
): Promise<(End | null)[]> {
  const rows = await store.lockInstructions(
    tx,
    received.map(({ key }) => key),
  )
  const judgement = judgeAnswers(deps, rows, received)
  const { anomalies } = judgement
  store.updateInstructions(tx, [...judgement.decided.values()])
  for (const [delay_ms, some] of Map.groupBy(judgement.again.values(), ({ ask_in }) => ask_in)) {
    const jobs = jobsFor(some).map((job) => ({ ...job, delay_ms }))
    enqueue(tx, queryOperatorJob, jobs)
  }
  store.insertAnswers(tx, judgement.answers)
  markNotSent(tx, [...judgement.notSent.values()].flat())
  const kept = anomalies.length > 0 ? await insertAnomalies(tx, anomalies) : new Set<string>()
  await applyConclusions(deps, tx, direction, judgement)
  const moved_after = anomalies.filter(({ id, kind }) => kind === 'proof_after_refusal' && kept.has(id))
  if (moved_after.length > 0) deps.tellMoved(tx, moved_after)
  crashPoint('after_response_before_commit')
  for (const { id, kind, subject_id } of anomalies) {
    if (kept.has(id))
      deps.log.warn({ anomaly_id: id, kind, subject_id }, 'operators: anomaly recorded, a person decides')
  }
  return judgement.ends
}

/** Writes the movements of money at operators, moves the payments, payouts or refunds that ended, and books the charges. */
async function applyConclusions(
  { clock, conclude, registry }: WriteDeps,
  tx: Tx,
  direction: Instruction['direction'],
  { instructions, moved, stated, concluded }: Judgement,
): Promise<void> {
  insertMovements(tx, moved)
  const corrections = stated.size > 0 ? await correct(tx, [...stated.values()]) : []
  const charges = [...moved, ...corrections].flatMap((movement) =>
    charged(movement, registry.walletOf(instructions.get(instructionKey(movement))!)),
  )
  if (concluded.length === 0 && charges.length === 0) return
  const act = conclude[direction]
  if (act === undefined) throw new Error(`No conclusion is bound for the direction ${direction}.`)
  await applyEffects(tx, [...concluded.flatMap(act), ...charges.map(conclude.charge)], clock.now())
}

/** Books the difference when an operator states its charge after we booked one by the tariff. */
async function correct(tx: Tx, stated: readonly Stated[]): Promise<Movement[]> {
  const charges = new Map(stated.map((one) => [instructionKey(one), one.charge]))
  const booked = await readUncorrected(tx, stated)
  const corrections = booked.flatMap((one) => correctionOf(one, charges.get(instructionKey(one))!) ?? [])
  insertMovements(tx, corrections)
  return corrections
}

function charged(movement: Movement, wallet: string): (InstructionKey & Charge)[] {
  const { merchant_id, livemode, subject_id } = movement
  const charge = chargeIn(movement, wallet)
  return charge === null ? [] : [{ merchant_id, livemode, subject_id, ...charge }]
}
