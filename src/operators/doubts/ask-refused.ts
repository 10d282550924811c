import { recordAct } from '../../audit-log/record-act.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import type { Actor } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import { type Instruction, instructionKey } from '../instruction.ts'
import { connectorOf, type Registry } from '../routing/registry.ts'
import { jobsFor, queryOperatorJob } from '../sending/jobs.ts'
import * as store from '../store.ts'
import { type LaterAnswer, readLaterAnswers } from './doubt-store.ts'

/**
 * An operator's word about an order after it had refused it:
 * - `moved`: the money moved all the same; people decide.
 * - `under_way`: it holds the order, and money may still move.
 * - `refused`, `not_held`: it refuses again, or does not hold the order.
 * - `silent`: no answer that tells anything, or nobody to ask any more.
 * - `to_ask`: nobody has asked since, or not lately.
 * - `never_left`: it was refused before it left us.
 */
export type SaidLater = 'moved' | 'under_way' | 'refused' | 'not_held' | 'silent' | 'to_ask' | 'never_left'

/** A refused order, with the latest word of its operator. */
export type RefusedOrder = Pick<Instruction, 'subject_id' | 'msisdn' | 'amount' | 'operator'> & { said: SaidLater }

/**
 * An answer counts as the operator's later word from two seconds after the refusal, because several inquiries may have been
 * under way when it came, and for a quarter of an hour.
 */
const COUNTS_SECONDS = { after_end: 2, old_at: 900 }

const words: Readonly<Record<string, SaidLater>> = {
  settled: 'moved',
  pending: 'under_way',
  refused: 'refused',
  not_found: 'not_held',
  unknown: 'silent',
}

type Deps = { readonly sql: Sql; readonly registry: Registry }

/** Reads the refused ones among these orders of a merchant, each with the latest word of its operator. Asks nobody. */
export async function readRefused(
  { sql, registry }: Deps,
  tenant: Tenant,
  subject_ids: readonly string[],
): Promise<RefusedOrder[]> {
  return (await readBoth({ sql, registry }, tenant, subject_ids)).map(({ order }) => order)
}

/**
 * Asks the operators about the refused ones among these orders whose word is not known, or too old, and returns all refused
 * ones. The answers come within seconds; an inquiry moves no money.
 * @param by the person who asks, for the audit log
 */
export async function askRefused(
  deps: Deps,
  tenant: Tenant,
  subject_ids: readonly string[],
  by: Actor,
): Promise<RefusedOrder[]> {
  const both = await readBoth(deps, tenant, subject_ids)
  const toAsk = both.filter(({ order }) => order.said === 'to_ask').map(({ instruction }) => instruction)
  if (toAsk.length > 0) {
    const youngest = Math.min(...toAsk.map(({ ended_ms_ago }) => ended_ms_ago ?? 0))
    const delay_ms = Math.max(0, COUNTS_SECONDS.after_end * 1_000 - youngest)
    await deps.sql.begin(async (tx) => {
      const jobs = jobsFor(toAsk).map((job) => ({ ...job, delay_ms }))
      enqueue(tx, queryOperatorJob, jobs)
      const after = { orders: toAsk.length }
      recordAct(tx, tenant, { actor: by, act: 'doubt.ask', subject: toAsk[0]!.subject_id, after })
    })
  }
  return both.map(({ order }) => order)
}

async function readBoth({ sql, registry }: Deps, tenant: Tenant, subject_ids: readonly string[]) {
  if (subject_ids.length === 0) return []
  const keys = subject_ids.map((subject_id) => ({ ...tenant, subject_id }))
  const instructions = await store.readInstructionsIn(sql, ['refused'], keys)
  const answers = await readLaterAnswers(sql, instructions, COUNTS_SECONDS)
  const later = new Map(answers.map((one) => [instructionKey(one), one]))
  return instructions.map((instruction) => {
    const { subject_id, msisdn, amount, operator } = instruction
    const said = saidOf(instruction, later.get(instructionKey(instruction)), registry)
    return { instruction, order: { subject_id, msisdn, amount, operator, said } }
  })
}

function saidOf(instruction: Instruction, answer: LaterAnswer | undefined, registry: Registry): SaidLater {
  const connector = connectorOf(registry, instruction)
  if (answer !== undefined) {
    // An operator that may forget an order, as Moov does at midnight, proves nothing when it does not know it.
    const forgets = connector?.promises[instruction.direction].same_reference !== 'never_twice'
    return answer.outcome === 'not_found' && forgets ? 'silent' : (words[answer.outcome] ?? 'silent')
  }
  if (instruction.attempts === 0) return 'never_left'
  return connector === null ? 'silent' : 'to_ask'
}
