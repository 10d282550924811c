import type { ActRefused } from '../../acts/act.ts'
import { draftFailedLines } from '../../batch-files/draft-failed-lines.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import { rows } from '../../console/components.ts'
import type { FieldError } from '../../console/forms.ts'
import type { Words } from '../../console/say.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readBalances } from '../../ledger/balances.ts'
import { askRefused, type RefusedOrder, readRefused } from '../../operators/doubts/ask-refused.ts'
import { type BatchToDecide, readBatchToDecide } from '../../payout-batches/approval-store.ts'
import type { LineRow } from '../../payout-batches/batch.ts'
import type { CheckBatch, CheckBatchResult } from '../../payout-batches/check-batch.ts'
import { cancelByPerson } from '../../payout-batches/decide-batch.ts'
import { type ExecuteByPersonDeps, executeByPerson, executeRefusals } from '../../payout-batches/execute-by-person.ts'
import { keyOf, readLines } from '../../payout-batches/store.ts'
import { readDayUse } from '../../payouts/caps/read-caps.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount } from '../../platform/http/pages/write-values.ts'
import { looksLikeId } from '../../values/ids.ts'
import { capAfter, fundsAfter } from '../approvals/differences.ts'
import { fundsNote, moneyRows } from '../approvals/parts.ts'
import type { ReadDeps } from '../approvals/read-request.ts'
import { readNames } from '../approvals/waiting.ts'
import {
  type AskFirstDeps,
  askAboutSame,
  askedFacts,
  askingWords,
  failedPart,
  isAsking,
  mayHaveMoved,
} from '../ask-first.ts'
import { readBatchPage, readRepeatedIn } from './batch-facts.ts'
import { type BatchRefused, batchPage } from './batch-view.ts'
import { waitsNote } from './draft-view.ts'
import { sayLines, sayRefusal } from './fault-words.ts'
import { isRepeated, type Repeated, tickOf } from './read-repeated.ts'
import { lacksTick, repeatedNote } from './repeated-view.ts'

type Request = ScreenRequest<'console'>
type Deps = ReadDeps &
  AskFirstDeps &
  ActScreenDeps &
  ExecuteByPersonDeps & {
    readonly checkBatch: CheckBatch
    /** Read by `prepare` of an execution. */
    readonly batch?: BatchToDecide
    readonly lines?: readonly LineRow[]
    readonly alike?: Repeated
    readonly asked?: readonly RefusedOrder[]
  }

const showBatch = defineConsoleScreen({
  method: 'GET',
  path: '/batches/:id',
  query: ['after', 'asked'],
  operation: 'showBatchScreen',
  summary: 'One batch: how far it is, its lines, its file and its people',
  right: 'payouts.read',
  async handle(request, deps: Deps) {
    const batch = await find(request, deps)
    return batch === null ? absent : show(request, deps, batch)
  },
})

const execute = consoleAct<ExecuteByPersonDeps, { status: string }, Deps>(executeByPerson, {
  path: '/batches/:id/execute',
  back: ({ at, params }) => at(`/batches/${params.id}`),
  /** Compares the lines with others, and asks the operators about failed payouts like these, once the rest allows the execution. */
  async prepare(request, deps): Promise<Deps | ScreenAnswer> {
    const batch = await find(request, deps)
    if (batch?.status !== 'brouillon') return deps
    const lines = await readLines(deps.sql, keyOf(batch))
    const repeated = await readRepeatedIn(deps.sql, batch, lines, deps.clock.now())
    const needs = { ...deps, batch, lines, alike: repeated, repeated: isRepeated(repeated) ? tickOf(repeated) : null }
    if (lacksTick(request, repeated)) return needs
    const asked = await askAboutSame(deps, request, lines)
    if (isAsking(asked)) return show(request, deps, batch, refusedWords(request, askingWords, 'asking_operator'))
    return { ...needs, asked, ...askedFacts(asked) }
  },
  shown: async (request, deps, { waits_above }) => {
    // Approved or changed since it was read: the question is asked about the batch as it is now.
    const batch = deps.batch ?? (await find(request, deps))!
    return drawExecution(request, deps, batch, waits_above as number | null)
  },
  done: ({ params }, { status }) => `/batches/${params.id}?done=${status === 'en_cours' ? 'launched' : 'batch_waits'}`,
  again: (request, deps, errors, refusal) => again(request, deps, errors, refusal, notSent),
})

const redraft = defineConsoleScreen({
  method: 'POST',
  path: '/batches/:id/failed',
  operation: 'draftFailedLines',
  summary:
    'Ask the operators about the failed lines of a finished batch, then make a new draft of those that did not move',
  right: 'payouts.make',
  async handle(request, deps: Deps) {
    const { tenant, actor, at, say, fields } = request
    const batch = await find(request, deps)
    if (batch === null) return absent
    const lines = batch.finished_at === null ? [] : await readFailed(deps, batch)
    const asked = await askRefused(
      deps,
      tenant,
      lines.flatMap(({ payout_id }) => payout_id ?? []),
      actor,
    )
    const answered = fields.text('seen') === '1' && !isAsking(asked)
    if (lines.length > 0 && !answered) return moved(at(`/batches/${batch.id}?asked=failed#asked`))
    const isLeftOut = (order: RefusedOrder) =>
      mayHaveMoved(order) || (order.said === 'silent' && fields.text('silent') !== '1')
    const left_out = new Set(asked.filter(isLeftOut).map(({ subject_id }) => subject_id))
    const made = await draftFailedLines(deps, batch, actor, {
      tenant,
      left_out,
      name: say(['{name} (lignes échouées)', '{name} (failed lines)'], {
        name: batch.reference ?? say(['Lot', 'Batch']),
      }),
    })
    if (made.kind === 'kept') return moved(at(`/batches/drafts/${made.draft_id}`))
    const { refusal } = made
    const title = say(['Pas de nouveau brouillon', 'No new draft'])
    const text =
      refusal.code === 'no_failed_lines'
        ? say([
            'Ce lot n’est pas terminé, ou aucune de ses lignes ne peut repartir.',
            'This batch has not ended, or none of its lines can be paid again.',
          ])
        : sayRefusal(say, refusal)
    return show(request, deps, batch, { code: refusal.code, title, text })
  },
})

type NotChecked = Exclude<Extract<CheckBatchResult, { kind: 'refused' }>['code'], 'resource_not_found'>
const notChecked: Words = ['Les noms ne sont pas vérifiés', 'The names are not checked']
const notCheckedWords: Readonly<Record<NotChecked, Words>> = {
  merchant_inactive: executeRefusals.merchant_inactive,
  batch_not_executable: executeRefusals.batch_not_executable,
  too_many_attempts: [
    'Trop de vérifications à la fois. Réessayez dans une minute.',
    'Too many checks at once. Try again in a minute.',
  ],
}

/** Asks operators whether the names are those of the numbers' holders. No money moves. */
const checkNames = defineConsoleScreen({
  method: 'POST',
  path: '/batches/:id/names',
  operation: 'checkNamesOfBatch',
  summary: 'Check the names of a batch at the operators',
  right: 'payouts.make',
  async handle(request, deps: Deps) {
    const { tenant, at } = request
    const batch = await find(request, deps)
    if (batch === null) return absent
    const { active: merchant_active } = await deps.settings(tenant.merchant_id)
    const asked = await deps.checkBatch({ ...tenant, merchant_active }, batch.id)
    if (asked.kind === 'checking') return moved(at(`/batches/${batch.id}#lines`))
    return asked.code === 'resource_not_found'
      ? absent
      : show(
          request,
          deps,
          batch,
          refusedWords(request, { title: notChecked, text: notCheckedWords[asked.code] }, asked.code),
        )
  },
})

const cancel = consoleAct<unknown, object, Deps>(cancelByPerson, {
  path: '/batches/:id/cancel',
  back: ({ at, params }) => at(`/batches/${params.id}`),
  done: ({ params }) => `/batches/${params.id}?done=batch_cancelled`,
  again: (request, deps, errors, refusal) => again(request, deps, errors, refusal, notCancelled),
})

/** The screens of one batch. */
export const batchScreens = [showBatch, execute, cancel, checkNames, redraft] as const

async function find({ tenant, params }: Request, { sql }: Deps): Promise<BatchToDecide | null> {
  const { id = '' } = params
  return looksLikeId('pob', id) ? readBatchToDecide(sql, { ...tenant, batch_id: id }) : null
}

async function show(
  request: Request,
  deps: Deps,
  batch: BatchToDecide,
  refused: BatchRefused | null = null,
): Promise<ScreenAnswer> {
  const { sql } = deps
  const [facts, names] = await Promise.all([
    readBatchPage(sql, batch, deps.clock.now()),
    readNames(sql, request.tenant),
  ])
  const asked = request.query.get('asked') === 'failed' && batch.finished_at !== null
  const ids = asked ? facts.lines.flatMap((line) => (line.status === 'failed' ? (line.payout_id ?? []) : [])) : []
  return batchPage(
    request,
    { ...facts, asked: asked ? await readRefused(deps, request.tenant, ids) : null },
    names,
    refused,
  )
}

async function readFailed({ sql }: Deps, batch: BatchToDecide) {
  return (await readLines(sql, keyOf(batch))).filter(({ status }) => status === 'failed')
}

const notSent: Words = ['Le lot n’est pas lancé', 'The batch is not sent']
const notCancelled: Words = ['Le lot n’est pas annulé', 'The batch is not cancelled']

function refusedWords(
  { say }: Request,
  { title, text }: { readonly title: Words; readonly text: Words },
  code: string,
): BatchRefused {
  return { code, title: say(title), text: say(text) }
}

/** Shows the batch as it stands now, with the reason why an act on it was refused. */
async function again(
  request: Request,
  deps: Deps,
  [error]: readonly FieldError[],
  refusal: ActRefused | null,
  title: Words,
): Promise<ScreenAnswer> {
  const batch = await find(request, deps)
  if (batch === null || refusal === null) return absent
  return show(request, deps, batch, { code: refusal.code, title: request.say(title), text: error!.text })
}

/** The question before a batch is sent: its sum, what is repeated, and the balance and the cap afterwards. */
async function drawExecution(
  request: Request,
  deps: Deps,
  batch: BatchToDecide,
  waits_above: number | null,
): Promise<Html> {
  const { lines = [], alike, asked = [] } = deps
  const { say, tenant } = request
  const [balances, day] = await Promise.all([
    readBalances(deps.sql, tenant),
    readDayUse(deps.sql, tenant, deps.payoutCaps, batch.id),
  ])
  const fee_amount = lines.reduce((sum, line) => sum + line.fee_amount, 0)
  const { total_amount: amount, line_count, reference } = batch
  const funds = fundsAfter(balances?.transfer ?? 0, amount + fee_amount)
  const title = say(executeByPerson.title)
  const sum = html`<h1><span class="sr">${title}${say([' : ', ': '])}</span>${drawAmount(amount)}</h1>`
  const named = html`<b>${reference ?? say(['Lot', 'Batch'])}</b>, ${sayLines(say, line_count)}`
  const told = html`${fundsNote(request, funds, 'batch')}${failedPart(say, asked)}`
  const money = rows(moneyRows(request, { fee_amount, funds, cap: capAfter({ ...day, amount }) }))
  const repeated = alike !== undefined && repeatedNote(request, alike, line_count)
  const waits = waits_above !== null && waitsNote(request, waits_above)
  return html`${sum}<p>${named}</p>${waits}${repeated}${money}${told}`
}
