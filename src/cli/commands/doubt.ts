import { askOperator } from '../../operators/doubts/ask-operator.ts'
import { listDoubts, silencesOf, type TimelineEntry } from '../../operators/doubts/find-doubts.ts'
import { type Ends, readWholeDoubt } from '../../screens/doubt-file.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, readMode, sampleId } from '../command.ts'
import { viewInstruction } from './payment.ts'

const id = {
  kind: 'needed',
  value: 'ID',
  says: 'the payment, payout or refund',
  sample: sampleId('txn'),
} as const

const doubtList = defineCommand({
  name: 'doubt list',
  summary: 'Show the operations whose outcome is not known yet, oldest first',
  details:
    'These are operations whose answer was lost, that their operator has held for too long, or that have an open anomaly. ' +
    'The service keeps asking the operator about each. bandama doubt show prints the evidence of one.',
  options: { mode: 'optional' },
  table: {
    rows: 'doubts',
    columns: ['id', 'why', 'age', 'amount', 'direction', 'operator', 'connector', 'asked_in'],
    empty: 'Nothing is in doubt.',
  },
  async run(context, { mode }) {
    const livemode = mode === undefined ? null : readMode(mode)
    const now = context.clock.now()
    const rows = await listDoubts(await context.sql(), livemode, silencesOf(context.config))
    const doubts = rows.map(({ subject_id, merchant_id, livemode, age_seconds, silent, ...row }) => ({
      id: subject_id,
      merchant_id,
      livemode,
      why: whyOf({ ...row, silent }),
      age: inWords(age_seconds),
      age_seconds: Math.round(age_seconds),
      asked_in: untilAsked(row.next_check_at, now),
      ...row,
    }))
    return { doubts }
  },
})

const doubtShow = defineCommand({
  name: 'doubt show',
  summary:
    'Show an operation in doubt: its sends, answers and inquiries, what each outcome would change, and how similar ones ended',
  options: { id },
  async run(context, { id }, { json }) {
    const file = await readWholeDoubt(await context.sql(), id)
    if (file === null) throw new CommandError(`No order with the id ${id} was sent to an operator.`)
    const { instruction, open, status, ends, timeline, forecast } = file
    const { merchant_id, livemode, direction, amount, currency, sent_ms_ago } = instruction
    const about = { id, merchant_id, livemode, direction, amount, currency, status, open }
    const order = { instruction: viewInstruction(instruction) }
    if (open) {
      const waits = sent_ms_ago === null ? {} : { age: inWords(sent_ms_ago / 1_000) }
      const lines = json ? timeline.map(inEnglish) : timeline.map(lineOf)
      const told = json ? forecast : forecast!.says
      if (!json) context.advise(`bandama doubt ask --id ${id} asks its operator now.`)
      return { ...about, ...waits, ...order, ends: sentencesOf(ends), forecast: told, timeline: lines }
    }
    return { ...about, ...order, timeline: json ? timeline.map(inEnglish) : timeline.map(lineOf) }
  },
})

const doubtAsk = actCommand(askOperator, {
  details:
    'Asking moves no money. An answer that proves the outcome ends the doubt. bandama doubt show prints the answer.',
  answer: ({ id, operator, connector, answers }) => ({
    id,
    asking: true,
    operator,
    connector,
    answers_so_far: answers,
  }),
  advice: ({ id }) => `bandama doubt show --id ${id} shows the answer in a moment.`,
})

/** Why an operation is in doubt; the gravest reason wins. */
function whyOf({
  state,
  silent,
  anomaly_ids,
}: {
  state: string
  silent: boolean
  anomaly_ids: readonly string[]
}): string {
  if (anomaly_ids.length > 0) return 'anomaly open'
  if (silent) return state === 'sent' ? 'held too long' : 'silent'
  return 'answer lost'
}

function sentencesOf({ if_succeeded, if_failed }: Ends) {
  return { if_succeeded: if_succeeded.says.en, if_failed: if_failed.says.en }
}

/** A line of the timeline in English, for JSON. */
function inEnglish({ says, ...line }: TimelineEntry) {
  return { ...line, says: says.en }
}

function lineOf({ at, kind, says, evidence }: TimelineEntry): string {
  const words = evidence === null || Object.keys(evidence).length === 0 ? '' : `  ${JSON.stringify(evidence)}`
  return `${at.toISOString().slice(0, 19).replace('T', ' ')}  ${kind.padEnd(9)}  ${says.en}${words}`
}

/** Time until the next inquiry, in words. */
function untilAsked(next_check_at: Date | null, now: Date): string | null {
  return next_check_at && inWords(Math.max(0, next_check_at.getTime() - now.getTime()) / 1_000)
}

/** `45 s`, `12 min`, `3 h 05`, `4 days`. */
function inWords(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${String(minutes % 60).padStart(2, '0')}` : `${Math.floor(hours / 24)} days`
}

export const commands: readonly Command[] = [doubtList, doubtShow, doubtAsk]
