import type { Log } from '../../platform/log.ts'
import type { Answer } from './answer.ts'
import type { ReceivedAnswer } from './record/received-answer.ts'

/** Unreadable answers of a connector in a row, from which on somebody is told: a proxy on the way changes them, or another server answers. */
const IN_A_ROW = 3

/** Counts the answers in a row that nobody can read, for each connector, as this process gets them. */
export type UnreadableAnswers = (received: Pick<ReceivedAnswer, 'key' | 'answer'>) => void

/**
 * Creates `UnreadableAnswers`. The log says once that a connector's answers cannot be read, and once that they can again.
 * @param measure gets the count of a connector whenever it changes
 */
export function createUnreadableAnswers(
  log: Log,
  measure: (connector: string, in_a_row: number) => void,
): UnreadableAnswers {
  const counts = new Map<string, number>()
  return ({ key: { connector }, answer }) => {
    if (connector === null) return
    const before = counts.get(connector) ?? 0
    const form = formOf(answer)
    // A lost answer says nothing of the form of answers.
    const now = form !== null ? before + 1 : answer.kind === 'unknown' || answer.kind === 'not_sent' ? before : 0
    if (now === before) return
    counts.set(connector, now)
    measure(connector, now)
    if (now === IN_A_ROW) log.warn({ connector, form }, 'operators: nobody can read the answers of a connector')
    else if (now === 0 && before >= IN_A_ROW)
      log.info({ connector }, 'operators: the answers of a connector can be read again')
  }
}

/** The form of an answer that decided nothing because of it, in the words of `evidenceOf`. Null: another answer. */
function formOf({ kind, evidence }: Answer): string | null {
  return kind === 'unknown' && typeof evidence.body === 'string' ? evidence.body : null
}
