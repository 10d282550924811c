import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Language } from '../../values/language.ts'
import { maskNumbersIn } from '../../values/msisdn.ts'
import type { Instruction } from '../instruction.ts'
import { type Evidence, usualSilence } from '../port.ts'
import { findInstruction } from '../store.ts'
import { isOpen } from './conclude-by-hand.ts'
import * as store from './doubt-store.ts'
import { type Forecast, forecast } from './forecast.ts'

/** The most operations in doubt shown at once, and the most entries of each kind in a timeline. */
const SHOWN_MAX = 500

/** A sentence in both languages. */
export type Said = Readonly<Record<Language, string>>

/** An entry of a timeline. */
export type TimelineEntry = {
  at: Date
  /** `anomaly`: an anomaly was opened or closed. `moved`: the payment, payout or refund changed its state. */
  kind: 'prepared' | 'committed' | 'answered' | 'asked' | 'called' | 'anomaly' | 'moved' | 'person'
  says: Said
  /** The operator's words, with numbers masked; null when it said nothing. */
  evidence: Evidence | null
}

/** One operation, with everything recorded about its order. */
export type DoubtFile = {
  instruction: Instruction
  /** Whether it still waits for its outcome. */
  open: boolean
  /** Oldest first; the newest 500 of each kind. */
  timeline: TimelineEntry[]
  /** Null when the operation has ended. */
  forecast: Forecast | null
}

/** Returns the silences of this service. The simulator's depends on its delay. */
export function silencesOf({ simulator_delay_ms }: { simulator_delay_ms: number }): store.Silences {
  return { simulator: usualSilence(simulator_delay_ms) / 1_000, others: usualSilence() / 1_000 }
}

/**
 * Lists the operations in doubt, oldest first, 500 at most.
 * @param livemode null for both modes
 */
export function listDoubts(db: Db, livemode: boolean | null, silences: store.Silences): Promise<store.DoubtRow[]> {
  return store.readDoubts(db, { livemode, silences, limit: SHOWN_MAX })
}

/** Reads one operation, in doubt or ended, by the id of its payment, payout or refund. Null when no instruction has this id. */
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
    says: { fr: 'l’ordre est préparé', en: 'the order is prepared' },
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

/** Sorts entries by time. Entries of one moment keep their given order, in which a cause precedes its effect. */
export function inOrder(lines: readonly TimelineEntry[]): TimelineEntry[] {
  return lines.toSorted((one, other) => one.at.getTime() - other.at.getTime())
}

function linesOfSend({ attempt, connector, sent_at, not_sent_at }: store.SendRow): TimelineEntry[] {
  const first = attempt === 1
  const begun = first ? 'we commit to the send' : `we commit to send ${attempt}, with the same reference`
  const begins = first
    ? 'nous nous engageons à envoyer'
    : `nous nous engageons à l’envoi ${attempt}, sous la même référence`
  const says = { fr: `${begins}, à ${connector}`, en: `${begun}, to ${connector}` }
  const committed = { at: sent_at, kind: 'committed', says, evidence: null } as const
  if (not_sent_at === null) return [committed]
  const neverLeft = {
    fr: `il est prouvé que ${first ? 'l’envoi' : `l’envoi ${attempt}`} n’est jamais parti`,
    en: `${first ? 'the send' : `send ${attempt}`} is proven never to have left`,
  }
  return [committed, { at: not_sent_at, kind: 'answered', says: neverLeft, evidence: null }]
}

const outcomesInWords: Readonly<Record<string, Said>> = {
  accepted: { fr: 'l’opérateur l’a', en: 'the operator holds it' },
  duplicate: { fr: 'l’opérateur l’a déjà', en: 'the operator holds it already' },
  pending: { fr: 'l’opérateur l’a et n’a pas conclu', en: 'the operator holds it and has not concluded' },
  settled: { fr: 'l’argent a bougé', en: 'the money moved' },
  refused: { fr: 'rien n’a bougé, et rien ne bougera', en: 'nothing moved and nothing will' },
  not_sent: { fr: 'rien n’est parti de chez nous', en: 'nothing left us' },
  not_found: { fr: 'l’opérateur ne l’a pas', en: 'the operator does not hold it' },
  unknown: { fr: 'aucune réponse qui dise quelque chose', en: 'no answer that tells anything' },
  expired_unsent: { fr: 'abandonné avant d’être envoyé', en: 'given up before it was sent' },
}

const heardFrom: Readonly<Record<store.AnswerRead['source'], Said>> = {
  send: { fr: 'réponse à l’envoi : ', en: 'answer to the send: ' },
  inquiry: { fr: '', en: '' },
  person: { fr: 'deux personnes : ', en: 'two people: ' },
}

function lineOfAnswer({ source, outcome, evidence, answered_at }: store.AnswerRead): TimelineEntry {
  const words = outcomesInWords[outcome] ?? { fr: outcome, en: outcome }
  const heard = heardFrom[source]
  const says = { fr: `${heard.fr}${words.fr}`, en: `${heard.en}${words.en}` }
  const kind = ({ send: 'answered', inquiry: 'asked', person: 'person' } as const)[source]
  return { at: answered_at, kind, says, evidence: maskNumbersIn(evidence) as Evidence }
}

function lineOfCallback({ evidence, received_at, times_received }: store.CallbackRead): TimelineEntry {
  const [fois, times] = times_received === 1 ? ['', ''] : [`, ${times_received} fois`, `, ${times_received} times`]
  const says = {
    fr: `l’opérateur nous appelle${fois} : une raison de demander, pas une preuve`,
    en: `the operator calls us${times}; a reason to ask, no proof`,
  }
  return { at: received_at, kind: 'called', says, evidence: maskNumbersIn(evidence) as Evidence }
}

function linesOfAnomaly({ id, kind, fact, opened_at, closed_at }: store.AnomalyRead): TimelineEntry[] {
  // The fact of an order without an answer is the number of its sends, which the timeline shows.
  const about = kind === 'in_doubt' ? '' : `: ${writeFact(fact)}`
  const opened = {
    at: opened_at,
    kind: 'anomaly',
    says: { fr: `une anomalie est ouverte${about.replace(':', '\u00a0:')}`, en: `anomaly ${id} is opened${about}` },
    evidence: null,
  } as const
  if (closed_at === null) return [opened]
  const says = { fr: 'l’anomalie est close par deux personnes', en: `anomaly ${id} is closed by two people` }
  return [opened, { at: closed_at, kind: 'anomaly', says, evidence: null }]
}

/** Writes the fact of an anomaly: an amount as people read it, or else the operator's own word. */
export function writeFact(fact: string): string {
  const [, francs] = /^(\d+) XOF$/.exec(fact) ?? []
  return francs === undefined ? fact : writeAmount(Number(francs))
}
