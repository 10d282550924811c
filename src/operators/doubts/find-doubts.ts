import type { Db } from '../../platform/postgres/database.ts'
import { maskNumbersIn } from '../../values/msisdn.ts'
import type { Instruction } from '../instruction.ts'
import type { Evidence } from '../port.ts'
import { findInstruction } from '../store.ts'
import { isOpen } from './conclude-by-hand.ts'
import * as store from './doubt-store.ts'
import { type Forecast, forecast } from './forecast.ts'

/** Operations in doubt shown together, and lines of each kind in a timeline, at most. */
const SHOWN_MAX = 500

/** A line of a timeline. */
export type TimelineEntry = {
  at: Date
  /** `anomaly`: something did not fit; `moved`: the payment, payout or refund went on. */
  kind: 'prepared' | 'committed' | 'answered' | 'asked' | 'called' | 'anomaly' | 'moved' | 'person'
  says: string
  /** The operator's words, numbers masked; null where it said nothing. */
  evidence: Evidence | null
}

/** One operation with all that its operator and we have said of it. */
export type DoubtFile = {
  instruction: Instruction
  /** Whether it still waits for its end. */
  open: boolean
  /** Oldest first; of each kind the newest 500. */
  timeline: TimelineEntry[]
  /** Null: it has ended. */
  forecast: Forecast | null
}

/**
 * The operations in doubt, the oldest first, 500 at most.
 * @param livemode null: of both modes
 */
export function listDoubts(db: Db, livemode: boolean | null, silences: store.Silences): Promise<store.DoubtRow[]> {
  return store.readDoubts(db, { livemode, silences, limit: SHOWN_MAX })
}

/** One operation, in doubt or ended, by the id of its payment, payout or refund; null when none of this id has an order to an operator. */
export async function readDoubt(db: Db, subject_id: string): Promise<DoubtFile | null> {
  const instruction = await findInstruction(db, subject_id)
  if (instruction === null) return null
  const { connector, reference } = instruction
  const open = isOpen(instruction)
  const [sends, answers, callbacks, anomalies, doubted] = await Promise.all([
    store.readSends(db, instruction),
    store.readAnswers(db, instruction, SHOWN_MAX),
    connector === null ? [] : store.readCallbacksAbout(db, { connector, reference }, SHOWN_MAX),
    store.readAnomaliesAbout(db, instruction, SHOWN_MAX),
    open ? store.readDoubted(db, instruction) : null,
  ])
  const prepared = {
    at: instruction.created_at,
    kind: 'prepared',
    says: 'the order is prepared',
    evidence: null,
  } as const
  return {
    instruction,
    open,
    timeline: inOrder([
      prepared,
      ...sends.flatMap(linesOfSend),
      ...answers.map(lineOfAnswer),
      ...callbacks.map(lineOfCallback),
      ...anomalies.flatMap(linesOfAnomaly),
    ]),
    forecast: doubted === null ? null : forecast((instruction.sent_ms_ago ?? 0) / 1_000, doubted),
  }
}

/** Lines of one moment stay in the order of what can only follow the other. */
export function inOrder(lines: readonly TimelineEntry[]): TimelineEntry[] {
  return lines.toSorted((one, other) => one.at.getTime() - other.at.getTime())
}

function linesOfSend({ attempt, connector, sent_at, not_sent_at }: store.SendRow): TimelineEntry[] {
  const which = attempt === 1 ? 'the send' : `send ${attempt}`
  const begun = attempt === 1 ? 'we commit to the send' : `we commit to send ${attempt}, with the same reference`
  const committed = { at: sent_at, kind: 'committed', says: `${begun}, to ${connector}`, evidence: null } as const
  if (not_sent_at === null) return [committed]
  return [
    committed,
    { at: not_sent_at, kind: 'answered', says: `${which} is proven never to have left`, evidence: null },
  ]
}

const outcomesInWords: Readonly<Record<string, string>> = {
  accepted: 'the operator holds it',
  duplicate: 'the operator holds it already',
  pending: 'the operator holds it and has not concluded',
  settled: 'the money moved',
  refused: 'nothing moved and nothing will',
  not_sent: 'nothing left us',
  not_found: 'the operator does not hold it',
  unknown: 'no answer that tells anything',
  expired_unsent: 'given up before it was sent',
}

function lineOfAnswer({ source, outcome, evidence, answered_at }: store.AnswerRead): TimelineEntry {
  const words = outcomesInWords[outcome] ?? outcome
  const heard = { send: 'answer to the send: ', inquiry: '', person: 'two people: ' }[source]
  const kind = ({ send: 'answered', inquiry: 'asked', person: 'person' } as const)[source]
  return { at: answered_at, kind, says: `${heard}${words}`, evidence: maskNumbersIn(evidence) as Evidence }
}

function lineOfCallback({ evidence, received_at, times_received }: store.CallbackRead): TimelineEntry {
  const times = times_received === 1 ? '' : `, ${times_received} times`
  const says = `the operator calls us${times}; a reason to ask, no proof`
  return { at: received_at, kind: 'called', says, evidence: maskNumbersIn(evidence) as Evidence }
}

function linesOfAnomaly({ id, kind, fact, opened_at, closed_at }: store.AnomalyRead): TimelineEntry[] {
  const opened = {
    at: opened_at,
    kind: 'anomaly',
    says: `${id} is opened: ${kind} ${fact}`.trim(),
    evidence: null,
  } as const
  if (closed_at === null) return [opened]
  return [opened, { at: closed_at, kind: 'anomaly', says: `${id} is closed by two people`, evidence: null }]
}
