import type { ActRefused } from '../../acts/act.ts'
import { type BatchDraft, FILE_MAX_BYTES } from '../../batch-files/batch-draft.ts'
import { deleteOpenDraft, keepDraft, NAME_MAX, type Replaced } from '../../batch-files/keep-draft.ts'
import { type MadeAndSent, type MakeAndSendDeps, makeAndSendBatch } from '../../batch-files/make-and-send-batch.ts'
import { type MakeBatchDeps, makeBatch } from '../../batch-files/make-batch.ts'
import { askKey, mendDraft } from '../../batch-files/mend-draft.ts'
import { readOpenDrafts } from '../../batch-files/store.ts'
import { takeFile } from '../../batch-files/take-file.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import { rows } from '../../console/components.ts'
import type { FieldError } from '../../console/forms.ts'
import type { Words } from '../../console/say.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import type { OrderKeys } from '../../operators/order-keys.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount } from '../../platform/http/pages/write-values.ts'
import { looksLikeId } from '../../values/ids.ts'
import { readLine } from '../../values/read-typed.ts'
import { fundsNote, moneyRows } from '../approvals/parts.ts'
import type { ReadDeps } from '../approvals/read-request.ts'
import { type AskFirstDeps, askAboutSame, askedFacts, askingWords, failedPart, isAsking } from '../ask-first.ts'
import { comparedOf, type DraftFacts, readDraftFacts } from './draft-facts.ts'
import { aboveCapNote, type DraftRefused, draftView, waitsNote } from './draft-view.ts'
import { sayLines, sayRefusal } from './fault-words.ts'
import { draftIdIn, findDraft, versionIn } from './find-draft.ts'
import { isRepeated, tickOf } from './read-repeated.ts'
import { lacksTick, repeatedNote } from './repeated-view.ts'
import { templateFile } from './template.ts'
import { changedCells, typedLines } from './typed-lines.ts'
import { uploadView } from './upload-view.ts'

type Request = ScreenRequest<'console'>
export type DraftDeps = ReadDeps
type MakingDeps = DraftDeps &
  AskFirstDeps &
  ActScreenDeps &
  MakeAndSendDeps & {
    readonly orderKeyOf: OrderKeys
    /** Read by `prepare` of the creation. */
    readonly facts?: DraftFacts
    readonly asked?: readonly RefusedOrder[]
  }

/** The number of drafts on the page of a new file. */
const DRAFTS_SHOWN = 20
/** The most bytes of a form without its file. */
const FORM_BYTES = 65_536

const common = { right: 'payouts.make' } as const

const showUpload = defineConsoleScreen({
  ...common,
  method: 'GET',
  path: '/batches/new',
  query: ['replaces', 'version'],
  operation: 'showBatchUpload',
  summary: 'Choose the file of a new batch',
  handle: (request, deps: DraftDeps) => showUploadPage(request, deps, null),
})

const upload = defineConsoleScreen({
  ...common,
  method: 'POST',
  path: '/batches/new',
  operation: 'uploadBatchFile',
  summary: 'Read a file and keep its lines as a draft',
  upload: {
    max_bytes: FILE_MAX_BYTES + FORM_BYTES,
    tooLarge: (request, deps: DraftDeps) => showUploadPage(request, deps, { code: 'too_large' }),
  },
  async handle(request, deps: DraftDeps) {
    const { fields, tenant, actor, at } = request
    const file = fields.file('file')
    if (file === null) return showUploadPage(request, deps, { code: 'no_file' })
    const wanted = { name: readLine(fields.text('name'), NAME_MAX) ?? '', file, replaces: replacedBy(request) }
    const kept = await keepDraft(deps, tenant, wanted, actor)
    if (kept.kind === 'refused') return showUploadPage(request, deps, kept.refusal)
    return moved(at(`/batches/drafts/${kept.draft_id}${kept.beside ? '?done=draft_beside' : ''}`))
  },
})

const template = defineConsoleScreen({
  ...common,
  method: 'GET',
  path: '/batches/template',
  operation: 'batchTemplate',
  summary: 'An empty file with the titles of a batch',
  handle: async ({ say }) => templateFile(say),
})

const showDraft = defineConsoleScreen({
  ...common,
  method: 'GET',
  path: '/batches/drafts/:id',
  query: ['line', 'faults_after', 'after'],
  operation: 'showBatchDraft',
  summary: 'A batch in preparation: its lines, what is wrong with them, and the sum',
  async handle(request, deps: DraftDeps) {
    const draft = await findDraft(request, deps.sql)
    return draft === null ? absent : showDraftPage(request, deps, draft)
  },
})

const mend = defineConsoleScreen({
  ...common,
  method: 'POST',
  path: '/batches/drafts/:id/lines',
  operation: 'mendBatchDraft',
  summary: 'Correct or remove lines of a draft',
  async handle(request, deps: DraftDeps) {
    const { fields, tenant, at } = request
    const draft = await findDraft(request, deps.sql)
    if (draft === null) return absent
    const typed = typedLines(fields)
    const without = await linesWithout(deps, draft, new Set(fields.all('without')))
    const seen = { ...tenant, draft_id: draft.id, version: versionIn(request) }
    const mending = {
      cells: changedCells(typed),
      dropped: typed.dropped.union(without),
      right: new Set(fields.all('right')),
      right_lines: new Set(fields.all('right_line').map(Number)),
    }
    const result = await mendDraft(deps.sql, seen, mending)
    // A draft that became a batch meanwhile leads to that batch.
    if (result.kind === 'mended' || result.code === 'gone') return moved(at(`/batches/drafts/${draft.id}`))
    return showChanged(request, deps, { ...changedWords(request, 'changed_lines'), typed })
  },
})

const drop = defineConsoleScreen({
  ...common,
  method: 'POST',
  path: '/batches/drafts/:id/delete',
  operation: 'deleteBatchDraft',
  summary: 'Delete a draft',
  async handle(request, deps: DraftDeps) {
    const draft = await findDraft(request, deps.sql)
    if (draft === null) return absent
    const seen = { ...request.tenant, draft_id: draft.id, version: versionIn(request) }
    if (await deleteOpenDraft(deps.sql, seen)) return moved(request.at('/batches/new?done=removed'))
    return showChanged(request, deps, changedWords(request, 'changed_undeleted'))
  },
})

const file = defineConsoleScreen({
  ...common,
  method: 'GET',
  path: '/batches/drafts/:id/file',
  operation: 'batchDraftFile',
  summary: 'The file of a draft, as it came',
  takes_file: true,
  async handle(request, deps: DraftDeps): Promise<ScreenAnswer> {
    const draft_id = draftIdIn(request)
    const kept = draft_id === null ? null : await takeFile(deps.sql, { ...request.tenant, draft_id }, request.actor)
    if (kept === null) return absent
    const name = kept.file_name.normalize('NFD').replace(/[^\w.-]+/g, '_')
    return { kind: 'file', name, type: 'application/octet-stream', body: kept.file_content }
  },
})

/** Compares the lines with others, outside the transaction of the act. */
async function prepare(request: Request, deps: MakingDeps): Promise<MakingDeps> {
  const draft = await findDraft(request, deps.sql)
  if (draft === null || draft.batch_id !== null) return deps
  const facts = await readDraftFacts(deps, draft)
  const repeated = isRepeated(facts.repeated) ? tickOf(facts.repeated) : null
  return { ...deps, facts, repeated, order_key: await deps.orderKeyOf(request.tenant, draft.id) }
}

const making = {
  back: ({ at, params }: Request) => at(`/batches/drafts/${params.id}`),
  async again(
    request: Request,
    deps: MakingDeps,
    [error]: readonly FieldError[],
    refusal: ActRefused | null,
  ): Promise<ScreenAnswer> {
    const draft = await findDraft(request, deps.sql)
    if (draft === null || refusal === null) return absent
    const refused = { code: refusal.code, title: request.say(notMade), text: error!.text }
    return showChanged(request, deps, refused)
  },
} as const

const create = consoleAct<MakeBatchDeps, { batch_id: string }, MakingDeps>(makeBatch, {
  path: '/batches/drafts/:id/create',
  ...making,
  prepare,
  shown: async (request, { facts }) => drawCreation(request, facts!, makeBatch.title, request.say(later)),
  done: (_, { batch_id }) => `/batches/${batch_id}?done=batch_made`,
})

const send = consoleAct<MakeAndSendDeps, MadeAndSent, MakingDeps>(makeAndSendBatch, {
  path: '/batches/drafts/:id/send',
  ...making,
  /** As for a creation, and asks the operators about failed payouts like these, once the rest allows the sending. */
  async prepare(request, deps): Promise<MakingDeps | ScreenAnswer> {
    const needs = await prepare(request, deps)
    if (needs.facts === undefined || lacksTick(request, needs.facts.repeated)) return needs
    const asked = await askAboutSame(deps, request, needs.facts.lines.flatMap(comparedOf))
    if (isAsking(asked)) {
      const { title, text } = askingWords
      const words = { code: 'asking_operator', title: request.say(title), text: request.say(text) }
      return showChanged(request, deps, words)
    }
    return { ...needs, asked, ...askedFacts(asked) }
  },
  shown: async (request, { facts, asked = [] }, { waits_above }) => {
    const waits = waits_above === null ? html`` : waitsNote(request, waits_above as number)
    const told = html`${fundsNote(request, facts!.funds, 'batch')}${failedPart(request.say, asked)}`
    return html`${drawCreation(request, facts!, makeAndSendBatch.title, null, waits)}${told}`
  },
  done: (_, { batch_id, status }) => `/batches/${batch_id}${sentWords(status)}`,
})

/** The message on the page of the batch. A draft that was a batch already was not sent by this act. */
function sentWords(status: MadeAndSent['status']): string {
  if (status === null) return ''
  return status === 'en_cours' ? '?done=launched' : '?done=batch_waits'
}

/** The screens of files and drafts, before a batch exists. */
export const draftScreens = [showUpload, upload, template, showDraft, mend, drop, file, create, send] as const

/** Returns the draft that a file replaces, from the form or the address. */
function replacedBy(request: Request): Replaced | null {
  const draft_id = request.fields.text('replaces') || (request.query.get('replaces') ?? '')
  return looksLikeId('pbd', draft_id) ? { draft_id, version: versionIn(request) } : null
}

async function showUploadPage(
  request: Request,
  { sql }: DraftDeps,
  refusal: Parameters<typeof sayRefusal>[1] | null,
): Promise<ScreenAnswer> {
  const { say, tenant, fields } = request
  const drafts = await readOpenDrafts(sql, tenant, DRAFTS_SHOWN)
  const refused = refusal && {
    code: refusal.code,
    text: sayRefusal(say, refusal),
    status: refusal.code === 'too_large' ? 413 : refusal.code === 'too_many_drafts' ? 409 : 422,
  }
  return uploadView(request, { drafts, name: fields.text('name'), replaces: replacedBy(request), refused })
}

/** Shows the current draft. A draft that became a batch leads to the batch, and one with unassigned columns to their page. */
async function showDraftPage(request: Request, deps: DraftDeps, draft: BatchDraft): Promise<ScreenAnswer> {
  if (draft.batch_id !== null) return moved(request.at(`/batches/${draft.batch_id}`))
  if (draft.reading.columns === 'unknown') return moved(request.at(`/batches/drafts/${draft.id}/columns`))
  return draftView(request, await readDraftFacts(deps, draft))
}

/**
 * Reads the current lines that a person leaves out together. @param which `all`: those with a fault, including unknown entries of the book;
 * otherwise the keys of open questions, of which the lines are left out
 */
async function linesWithout(
  deps: DraftDeps,
  draft: BatchDraft,
  which: ReadonlySet<string>,
): Promise<ReadonlySet<number>> {
  if (which.size === 0) return new Set()
  const { lines } = await readDraftFacts(deps, draft)
  const isOut = ({ faults, questions }: DraftFacts['lines'][number]) =>
    (which.has('all') && faults.length > 0) || questions.some((ask) => which.has(askKey(ask)))
  return new Set(lines.filter(isOut).map(({ line }) => line))
}

/** Shows a draft that another person changed, with this person's own input beside it. */
async function showChanged(request: Request, deps: DraftDeps, refused: DraftRefused): Promise<ScreenAnswer> {
  const draft = await findDraft(request, deps.sql)
  if (draft === null) return absent
  if (draft.batch_id !== null) return moved(request.at(`/batches/${draft.batch_id}`))
  return draftView(request, await readDraftFacts(deps, draft), refused)
}

const later: Words = [
  'Rien ne part encore : le lot se lance ensuite.',
  'Nothing leaves yet: the batch is sent afterwards.',
]
const notMade: Words = ['Le lot n’est pas créé', 'The batch is not made']

const changed = {
  changed_lines: {
    title: ['Rien n’est encore changé', 'Nothing is changed yet'],
    text: [
      'Quelqu’un a changé le brouillon pendant que vous écriviez. Vos mots sont encore là, et ce qui a changé est dit à chaque ligne. Relisez, puis vérifiez de nouveau.',
      'Somebody changed the draft while you were writing. Your words are still here, and each line says what changed. Read it, then check again.',
    ],
  },
  changed_undeleted: {
    title: ['Le brouillon n’est pas supprimé', 'The draft is not deleted'],
    text: [
      'Quelqu’un a changé le brouillon entre-temps. Relisez-le avant de le supprimer.',
      'Somebody changed the draft meanwhile. Read it again before you delete it.',
    ],
  },
} as const satisfies Record<string, { title: Words; text: Words }>

function changedWords({ say }: Request, code: keyof typeof changed): DraftRefused {
  const { title, text } = changed[code]
  return { code, title: say(title), text: say(text) }
}

/**
 * The question before a batch is made: its sum, its lines, what is repeated, and its fees.
 * @param next what happens afterwards, in a sentence; null: nothing more has to be done
 * @param waits a note about an approval in place of the usual one
 */
function drawCreation(request: Request, facts: DraftFacts, head: Words, next: string | null, waits?: Html): Html {
  const { say } = request
  const { draft, good_count, total_amount, cap, repeated } = facts
  const title = say(head)
  const sum = html`<h1><span class="sr">${title}${say([' : ', ': '])}</span>${drawAmount(total_amount)}</h1>`
  const then = next !== null && html`<br>${next}`
  const named = html`<p><b>${draft.name}</b>, ${sayLines(say, good_count)}${then}</p>`
  const above = waits ?? (cap.exceeded && aboveCapNote(say))
  const money = html`${rows(moneyRows(request, facts))}${above}`
  return html`${sum}${named}${repeatedNote(request, repeated, good_count)}${money}`
}
