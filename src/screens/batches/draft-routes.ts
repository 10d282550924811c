import { type BatchDraft, FILE_MAX_BYTES } from '../../batch-files/batch-draft.ts'
import { deleteOpenDraft, keepDraft, NAME_MAX, type Replaced } from '../../batch-files/keep-draft.ts'
import { makeBatch } from '../../batch-files/make-batch.ts'
import { askKey, mendDraft } from '../../batch-files/mend-draft.ts'
import { readOpenDrafts } from '../../batch-files/store.ts'
import { takeFile } from '../../batch-files/take-file.ts'
import { rows } from '../../console/components.ts'
import type { Words } from '../../console/say.ts'
import {
  absent,
  type Confirmation,
  defineConsoleScreen,
  moved,
  type ScreenAnswer,
  type ScreenRequest,
} from '../../console/screen.ts'
import type { CreateBatch } from '../../payout-batches/create-batch.ts'
import { html } from '../../platform/http/html.ts'
import { drawAmount } from '../../platform/http/pages/write-values.ts'
import { AMOUNT_MAX } from '../../values/amount.ts'
import { looksLikeId } from '../../values/ids.ts'
import { readLine } from '../../values/read-typed.ts'
import { moneyRows } from '../approvals/parts.ts'
import type { ReadDeps } from '../approvals/read-request.ts'
import { type DraftFacts, readDraftFacts } from './draft-facts.ts'
import { aboveCapNote, type DraftRefused, draftView } from './draft-view.ts'
import { sayLines, sayRefusal } from './fault-words.ts'
import { draftIdIn, findDraft, versionIn } from './find-draft.ts'
import { isRepeated, tickOf } from './read-repeated.ts'
import { lacksTick, repeatedNote } from './repeated-view.ts'
import { templateFile } from './template.ts'
import { changedCells, typedLines } from './typed-lines.ts'
import { uploadView } from './upload-view.ts'

type Request = ScreenRequest<'console'>
export type DraftDeps = ReadDeps & { readonly createBatch: CreateBatch }

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
  path: '/batches/drafts/:draft',
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
  path: '/batches/drafts/:draft/lines',
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
    return showChanged(request, deps, { ...refusedWords(request, 'changed_lines'), typed })
  },
})

const drop = defineConsoleScreen({
  ...common,
  method: 'POST',
  path: '/batches/drafts/:draft/delete',
  operation: 'deleteBatchDraft',
  summary: 'Delete a draft',
  async handle(request, deps: DraftDeps) {
    const draft = await findDraft(request, deps.sql)
    if (draft === null) return absent
    const seen = { ...request.tenant, draft_id: draft.id, version: versionIn(request) }
    if (await deleteOpenDraft(deps.sql, seen)) return moved(request.at('/batches/new?done=removed'))
    return showChanged(request, deps, refusedWords(request, 'changed_undeleted'))
  },
})

const file = defineConsoleScreen({
  ...common,
  method: 'GET',
  path: '/batches/drafts/:draft/file',
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

const create = defineConsoleScreen({
  ...common,
  method: 'POST',
  path: '/batches/drafts/:draft/create',
  operation: 'createBatchOfDraft',
  summary: 'Make the batch of a draft; nothing is sent',
  async confirm(request, deps: DraftDeps): Promise<Confirmation | ScreenAnswer> {
    const draft = await findDraft(request, deps.sql)
    if (draft === null) return absent
    if (draft.batch_id !== null) return moved(request.at(`/batches/${draft.batch_id}`))
    const facts = await readDraftFacts(deps, draft)
    const refused = await whyNotYet(request, deps, facts)
    return refused === null ? confirmationOf(request, facts) : draftView(request, facts, refused)
  },
  async handle(request, deps: DraftDeps) {
    const { tenant, actor, at } = request
    const draft = await findDraft(request, deps.sql)
    if (draft === null) return absent
    if (draft.batch_id !== null) return moved(at(`/batches/${draft.batch_id}`))
    const facts = await readDraftFacts(deps, draft)
    const refused = await whyNotYet(request, deps, facts)
    if (refused !== null) return draftView(request, facts, refused)
    const { active: merchant_active } = await deps.settings(tenant.merchant_id)
    const made = await makeBatch(deps.createBatch, draft, { actor, merchant_active })
    if (made.kind === 'made') return moved(at(`/batches/${made.batch_id}?done=batch_made`))
    const words = refusedWords(request, made.code)
    return made.code === 'changed' ? showChanged(request, deps, words) : draftView(request, facts, words)
  },
})

/** The screens of files and drafts, before a batch exists. */
export const draftScreens = [showUpload, upload, template, showDraft, mend, drop, file, create] as const

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

/** Returns why the batch cannot be made now. Null when it can. */
async function whyNotYet(request: Request, deps: DraftDeps, facts: DraftFacts): Promise<DraftRefused | null> {
  const { draft, lines } = facts
  if (versionIn(request) !== draft.version) return refusedWords(request, 'changed')
  if (lines.length === 0 || lines.some(({ order }) => order === null)) return refusedWords(request, 'faulty_lines')
  if (facts.total_amount > AMOUNT_MAX) return refusedWords(request, 'total_too_large')
  const { active } = await deps.settings(draft.merchant_id)
  if (!active) return refusedWords(request, 'merchant_inactive')
  return lacksTick(request, facts.repeated) ? refusedWords(request, 'repeated') : null
}

type RefusedCode =
  | 'total_too_large'
  | 'changed'
  | 'changed_lines'
  | 'changed_undeleted'
  | 'faulty_lines'
  | 'merchant_inactive'
  | 'repeated'
  | 'under_way'
  | 'invalid_beneficiary'

const refusedTitles: Partial<Readonly<Record<RefusedCode, Words>>> = {
  changed_lines: ['Rien n’est encore changé', 'Nothing is changed yet'],
  changed_undeleted: ['Le brouillon n’est pas supprimé', 'The draft is not deleted'],
}

function refusedWords({ say }: Request, code: RefusedCode): DraftRefused {
  const title = say(refusedTitles[code] ?? ['Le lot n’est pas créé', 'The batch is not made'])
  const words = {
    changed: [
      'Quelqu’un a changé le brouillon entre-temps. Relisez-le.',
      'Somebody changed the draft meanwhile. Read it again.',
    ],
    changed_lines: [
      'Quelqu’un a changé le brouillon pendant que vous écriviez. Vos mots sont encore là, et ce qui a changé est dit à chaque ligne. Relisez, puis vérifiez de nouveau.',
      'Somebody changed the draft while you were writing. Your words are still here, and each line says what changed. Read it, then check again.',
    ],
    changed_undeleted: [
      'Quelqu’un a changé le brouillon entre-temps. Relisez-le avant de le supprimer.',
      'Somebody changed the draft meanwhile. Read it again before you delete it.',
    ],
    faulty_lines: [
      'Des lignes sont encore à corriger ou à confirmer.',
      'Some lines still have to be corrected or confirmed.',
    ],
    total_too_large: [
      'La somme des lignes est trop grande : faites-en plusieurs lots.',
      'The total is too large: split the lines into several batches.',
    ],
    merchant_inactive: [
      'Votre compte est désactivé : il ne peut rien envoyer.',
      'Your account is deactivated: it can send nothing.',
    ],
    repeated: [
      'Des lignes ont le même numéro et le même montant que d’autres. Regardez-les, puis cochez la case.',
      'Some lines have the same number and amount as others. Look at them, then tick the box.',
    ],
    under_way: [
      'La même demande est déjà en route. Rouvrez la page.',
      'The same request is under way. Open the page again.',
    ],
    invalid_beneficiary: [
      'Une entrée du carnet vient d’être archivée.',
      'An entry of the address book has just been archived.',
    ],
  } as const
  return { code, title, text: say(words[code]) }
}

/** Returns the content that a person confirms: this version of the lines, their total, and their fees. */
function confirmationOf(request: Request, facts: DraftFacts): Confirmation {
  const { say, at } = request
  const { draft, good_count, total_amount, fee_amount, cap, repeated } = facts
  const { id: draft_id, name, version, file_sha256 } = draft
  const title = say(['Créer ce lot', 'Make this batch'])
  const sum = html`<h1><span class="sr">${title}${say([' : ', ': '])}</span>${drawAmount(total_amount)}</h1>`
  const later = say([
    'Rien ne part encore : le lot se lance ensuite.',
    'Nothing leaves yet: the batch is sent afterwards.',
  ])
  const named = html`<p><b>${name}</b>, ${sayLines(say, good_count)}<br>${later}</p>`
  const money = html`${rows(moneyRows(request, facts))}${cap.exceeded && aboveCapNote(say)}`
  const shown = html`${sum}${named}${repeatedNote(request, repeated, good_count)}${money}`
  return {
    kind: 'confirm',
    subject: draft_id,
    content: {
      draft_id,
      version,
      name,
      line_count: good_count,
      amount: total_amount,
      fee_amount,
      file_sha256,
      ...(isRepeated(repeated) && { repeated: tickOf(repeated) }),
    },
    shown,
    title,
    back: at(`/batches/drafts/${draft_id}`),
  }
}
