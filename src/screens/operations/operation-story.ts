import { story } from '../../console/components.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { type AnswerRead, readAnswers, readSends, type SendRow } from '../../operators/doubts/doubt-store.ts'
import type { Instruction } from '../../operators/instruction.ts'
import type { Html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { TransitionRead } from '../../platform/postgres/record-transitions.ts'
import { isOperatorCode, operatorNames } from '../../values/operators.ts'
import type { Happened } from './trace-events.ts'

/** The number of an operator's answers on the page of one operation, the newest. */
const ANSWERS_SHOWN = 100

/** The sends of an order and its operator's answers, oldest first. */
export type OrderStory = {
  readonly sends: readonly SendRow[]
  readonly answers: readonly Pick<AnswerRead, 'source' | 'outcome' | 'answered_at'>[]
  /** The time of the next inquiry. Null: none. */
  readonly next_check_at: Date | null
}

/** Reads the history of an order, without the operator's own words, which are for staff. Empty while there is no order. */
export async function readOrderStory(db: Db, instruction: Instruction | null): Promise<OrderStory> {
  if (instruction === null) return { sends: [], answers: [], next_check_at: null }
  const [sends, answers] = await Promise.all([readSends(db, instruction), readAnswers(db, instruction, ANSWERS_SHOWN)])
  const told = answers.map(({ source, outcome, answered_at }) => ({ source, outcome, answered_at })).reverse()
  const { sent_at, next_check_at } = instruction
  return { sends, answers: told, next_check_at: sent_at === null ? null : next_check_at }
}

/** Writes the name of the operator at the start of a sentence. */
export function operatorInWords(code: string | null, say: Say): string {
  return code !== null && isOperatorCode(code) ? operatorNames[code] : say(['L’opérateur', 'The operator'])
}

/** An outcome in words for a shop owner, to follow the operator's name. */
const outcomeWords: Readonly<Record<string, Words>> = {
  accepted: ['{operator} : bien reçu', '{operator}: received'],
  duplicate: ['{operator} : déjà reçu', '{operator}: received already'],
  pending: ['{operator} : en traitement', '{operator}: being processed'],
  settled: ['{operator} confirme : c’est fait', '{operator} confirms: it is done'],
  refused: ['{operator} refuse : rien ne bouge', '{operator} refuses: nothing moves'],
  not_sent: ['Rien n’est parti vers {operator}', 'Nothing left for {operator}'],
  not_found: ['{operator} ne le trouve pas', '{operator} does not find it'],
  unknown: ['{operator} : pas de réponse claire', '{operator}: no clear answer'],
  expired_unsent: ['Abandonné avant l’envoi', 'Given up before it was sent'],
}

type Told = {
  readonly kind: 'payment' | 'payout' | 'refund' | 'settlement'
  readonly operator: string | null
  readonly moves: readonly TransitionRead[]
  readonly order: OrderStory
  /** The call that began it, its entries and its events. */
  readonly traces: readonly Happened[]
}

/** The timeline of an operation, oldest first, with the next inquiry at the end. */
export function operationStory({ say, language }: Reader, told: Told): Html {
  const { operator: code, order } = told
  const operator = operatorInWords(code, say)
  const happened: Happened[] = [
    ...order.sends.flatMap((send) => sendEvents(send, operator, say)),
    ...foldAnswers(order.answers).map((answer) => answerEvent(answer, operator, { say, language })),
    ...told.moves.filter(({ cause }) => cause !== 'sending_began').map((move) => moveEvent(told.kind, move, say)),
    ...told.traces,
  ]
  const events = happened.toSorted(
    (one, other) =>
      Number(other.begins ?? false) - Number(one.begins ?? false) || one.at.getTime() - other.at.getTime(),
  )
  if (order.next_check_at !== null) {
    events.push({
      at: order.next_check_at,
      icon: 'clock',
      text: say(['Prochaine question à {operator}', 'Next question to {operator}'], { operator }),
    })
  }
  return story(events, language)
}

function sendEvents({ attempt, sent_at, not_sent_at }: SendRow, operator: string, say: Say): Happened[] {
  const text =
    attempt === 1
      ? say(['Ordre donné à {operator}', 'Order given to {operator}'], { operator })
      : say(['Ordre donné de nouveau, essai {attempt}', 'Order given again, attempt {attempt}'], { attempt })
  const given: Happened = { at: sent_at, icon: 'out', text }
  if (not_sent_at === null) return [given]
  const never = say(['Cet essai n’est jamais parti', 'This attempt never left'])
  return [given, { at: not_sent_at, icon: 'x', kind: 'care', text: never }]
}

type Reader = Pick<ScreenRequest<'console'>, 'say' | 'language'>
type Answer = OrderStory['answers'][number]
type Folded = Answer & { readonly times: number; readonly until: Date }

/** Merges successive equal answers to inquiries into one line with their number. Pure. */
function foldAnswers(answers: readonly Answer[]): Folded[] {
  const folded: Folded[] = []
  for (const answer of answers) {
    const before = folded.at(-1)
    if (before?.source === 'inquiry' && answer.source === 'inquiry' && before.outcome === answer.outcome) {
      folded[folded.length - 1] = { ...before, times: before.times + 1, until: answer.answered_at }
    } else folded.push({ ...answer, times: 1, until: answer.answered_at })
  }
  return folded
}

function answerEvent(answer: Folded, operator: string, { say, language }: Reader): Happened {
  const { source, outcome, answered_at, times, until } = answer
  const words = sayOutcome(outcome, operator, say)
  const end = outcome === 'settled' ? 'ok' : outcome === 'refused' ? 'bad' : 'care'
  const text =
    source === 'person'
      ? say(['Notre équipe a vérifié. {words}', 'Our team has checked. {words}'], { words })
      : source === 'send' || times === 1
        ? words
        : say(['{words} · {times} fois, jusqu’au {until}', '{words} · {times} times, until {until}'], {
            ...{ words, times },
            until: writeShortDate(until, language),
          })
  const going = outcome === 'accepted' || outcome === 'duplicate' || outcome === 'pending'
  const icon = source === 'person' ? 'person' : source === 'send' ? 'in' : 'look'
  return { at: answered_at, icon, text, ...(going ? {} : { kind: end }) }
}

function sayOutcome(outcome: string, operator: string, say: Say): string {
  const words = outcomeWords[outcome] ?? outcomeWords.unknown!
  return say(words).replace('{operator}', operator)
}

function moveEvent(kind: Told['kind'], { to_status, transitioned_at }: TransitionRead, say: Say): Happened {
  const known = (statusWords[kind] as Readonly<Record<string, readonly [string, Words]>>)[to_status]
  const [shape, words] = known ?? ['going', [to_status, to_status]]
  const text = say(['État : {words}', 'State: {words}'], { words: say(words) })
  if (shape === 'bad') return { at: transitioned_at, icon: 'x', kind: 'bad', text }
  if (shape === 'doubt') return { at: transitioned_at, icon: 'clock', kind: 'care', text }
  if (shape === 'ok') return { at: transitioned_at, icon: 'ok', kind: 'ok', text }
  return { at: transitioned_at, icon: shape === 'back' ? 'back' : 'right', text }
}
