import { busyWords, unlessBusy } from '../../acts/unless-busy.ts'
import { draftFailedLines } from '../../batch-files/draft-failed-lines.ts'
import { rows } from '../../console/components.ts'
import {
  absent,
  type Confirmation,
  defineConsoleScreen,
  moved,
  type ScreenAnswer,
  type ScreenRequest,
} from '../../console/screen.ts'
import { readBalances } from '../../ledger/balances.ts'
import { askRefused, type RefusedOrder, readRefused } from '../../operators/doubts/ask-refused.ts'
import { type BatchToDecide, readBatchToDecide } from '../../payout-batches/approval-store.ts'
import type { LineRow } from '../../payout-batches/batch.ts'
import type { CheckBatch } from '../../payout-batches/check-batch.ts'
import { cancelBatch } from '../../payout-batches/decide-batch.ts'
import { type ExecuteBatchDeps, executeBatch } from '../../payout-batches/execute-batch.ts'
import { keyOf, readLines } from '../../payout-batches/store.ts'
import { readDayUse } from '../../payouts/caps/read-caps.ts'
import { html } from '../../platform/http/html.ts'
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
import { sayLines, sayRefusal } from './fault-words.ts'
import { isRepeated, type Repeated, tickOf } from './read-repeated.ts'
import { lacksTick, repeatedNote } from './repeated-view.ts'

type Request = ScreenRequest<'console'>
type Deps = ReadDeps & AskFirstDeps & { readonly batches: ExecuteBatchDeps; readonly checkBatch: CheckBatch }

const showBatch = defineConsoleScreen({
  method: 'GET',
  path: '/batches/:batch',
  query: ['after', 'asked'],
  operation: 'showBatchScreen',
  summary: 'One batch: how far it is, its lines, its file and its people',
  right: 'payouts.read',
  async handle(request, deps: Deps) {
    const batch = await find(request, deps)
    return batch === null ? absent : show(request, deps, batch)
  },
})

const execute = defineConsoleScreen({
  method: 'POST',
  path: '/batches/:batch/execute',
  operation: 'executeBatchScreen',
  summary: 'Send the lines of a batch',
  right: 'payouts.make',
  async confirm(request, deps: Deps): Promise<Confirmation | ScreenAnswer> {
    const batch = await find(request, deps)
    if (batch === null) return absent
    const code = whyNotExecuted(batch)
    if (code !== null) return show(request, deps, batch, refusedWords(request, code))
    const lines = await readLines(deps.sql, keyOf(batch))
    const repeated = await readRepeatedIn(deps.sql, batch, lines, deps.clock.now())
    if (lacksTick(request, repeated)) return show(request, deps, batch, refusedWords(request, 'repeated'))
    const asked = await askAboutSame(deps, request, lines)
    if (!isAsking(asked)) return confirmationOf(request, deps, batch, { lines, repeated, asked })
    const { say } = request
    const { title, text } = askingWords
    return show(request, deps, batch, { code: 'asking_operator', title: say(title), text: say(text) })
  },
  async handle(request, deps: Deps) {
    const { tenant, actor, at } = request
    const batch = await find(request, deps)
    if (batch === null) return absent
    const { active: merchant_active } = await deps.settings(tenant.merchant_id)
    const caller = { ...tenant, merchant_active, maker: actor }
    const result = await unlessBusy(executeBatch(deps.batches, caller, batch.id))
    if (result.kind === 'executed') return moved(at(`/batches/${batch.id}?done=launched`))
    if (result.code === 'resource_not_found') return absent
    const now = (await find(request, deps)) ?? batch
    return show(request, deps, now, refusedWords(request, result.code))
  },
})

const redraft = defineConsoleScreen({
  method: 'POST',
  path: '/batches/:batch/failed',
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

/** Asks operators whether the names are those of the numbers' holders. No money moves. */
const checkNames = defineConsoleScreen({
  method: 'POST',
  path: '/batches/:batch/names',
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
      : show(request, deps, batch, {
          ...refusedWords(request, asked.code),
          title: request.say(['Les noms ne sont pas vérifiés', 'The names are not checked']),
        })
  },
})

const cancel = defineConsoleScreen({
  method: 'POST',
  path: '/batches/:batch/cancel',
  operation: 'cancelBatchScreen',
  summary: 'Cancel a batch that has sent nothing',
  right: 'payouts.make',
  async handle(request, deps: Deps) {
    const { tenant, actor, at } = request
    const batch = await find(request, deps)
    if (batch === null) return absent
    // Cancelled already: a repeated submission is the same decision.
    if (batch.status === 'annule') return moved(at(`/batches/${batch.id}`))
    const result = await unlessBusy(cancelBatch(deps.batches, tenant, batch.id, actor))
    if (result.kind === 'cancelled') return moved(at(`/batches/${batch.id}?done=batch_cancelled`))
    const now = (await find(request, deps)) ?? batch
    const title = request.say(['Le lot n’est pas annulé', 'The batch is not cancelled'])
    const words = refusedWords(request, result.code === 'busy' ? 'busy' : 'batch_not_executable')
    return show(request, deps, now, { ...words, code: result.code, title })
  },
})

/** The screens of one batch. */
export const batchScreens = [showBatch, execute, cancel, checkNames, redraft] as const

async function find({ tenant, params }: Request, { sql }: Deps): Promise<BatchToDecide | null> {
  const { batch = '' } = params
  return looksLikeId('pob', batch) ? readBatchToDecide(sql, { ...tenant, batch_id: batch }) : null
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

type ExecuteRefusal =
  | 'busy'
  | 'too_many_attempts'
  | 'merchant_inactive'
  | 'repeated'
  | 'batch_pending_approval'
  | 'batch_not_executable'

function whyNotExecuted({ status }: BatchToDecide): ExecuteRefusal | null {
  if (status === 'en_attente_validation') return 'batch_pending_approval'
  return status === 'brouillon' ? null : 'batch_not_executable'
}

function refusedWords({ say }: Request, code: ExecuteRefusal): BatchRefused {
  const words = {
    busy: busyWords.text,
    merchant_inactive: [
      'Votre compte est désactivé : il ne peut rien envoyer.',
      'Your account is deactivated: it can send nothing.',
    ],
    repeated: [
      'Des lignes ont le même numéro et le même montant que d’autres. Regardez-les, puis cochez la case.',
      'Some lines have the same number and amount as others. Look at them, then tick the box.',
    ],
    batch_pending_approval: [
      'Il est au-dessus du plafond de 24 h : il attend une approbation.',
      'It is above the cap of 24 h: it waits for approval.',
    ],
    too_many_attempts: [
      'Trop de vérifications à la fois. Réessayez dans une minute.',
      'Too many checks at once. Try again in a minute.',
    ],
    batch_not_executable: [
      'Il est déjà lancé, ou annulé. Rien n’est parti deux fois.',
      'It is sent already, or cancelled. Nothing left twice.',
    ],
  } as const
  return { code, title: say(['Le lot n’est pas lancé', 'The batch is not sent']), text: say(words[code]) }
}

async function confirmationOf(
  request: Request,
  deps: Deps,
  batch: BatchToDecide,
  known: { lines: readonly LineRow[]; repeated: Repeated; asked: readonly RefusedOrder[] },
): Promise<Confirmation> {
  const { lines, repeated, asked } = known
  const { say, at, tenant } = request
  const [balances, day] = await Promise.all([
    readBalances(deps.sql, tenant),
    readDayUse(deps.sql, tenant, deps.payoutCaps, batch.id),
  ])
  const fee_amount = lines.reduce((sum, line) => sum + line.fee_amount, 0)
  const { total_amount: amount, line_count, reference } = batch
  const funds = fundsAfter(balances?.transfer ?? 0, amount + fee_amount)
  const title = say(['Lancer ce lot', 'Send this batch'])
  const sum = html`<h1><span class="sr">${title}${say([' : ', ': '])}</span>${drawAmount(amount)}</h1>`
  const named = html`<b>${reference ?? say(['Lot', 'Batch'])}</b>, ${sayLines(say, line_count)}`
  const told = html`${fundsNote(request, funds, 'batch')}${failedPart(say, asked)}`
  const money = rows(moneyRows(request, { fee_amount, funds, cap: capAfter({ ...day, amount }) }))
  return {
    kind: 'confirm',
    subject: batch.id,
    content: {
      batch_id: batch.id,
      amount,
      line_count,
      fee_amount,
      reference,
      ...(isRepeated(repeated) && { repeated: tickOf(repeated) }),
      ...askedFacts(asked),
    },
    shown: html`${sum}<p>${named}</p>${repeatedNote(request, repeated, line_count)}${money}${told}`,
    title,
    back: at(`/batches/${batch.id}`),
  }
}
