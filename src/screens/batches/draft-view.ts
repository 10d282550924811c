import { backLink, note, operatorName, pageHead, panel, rows, status } from '../../console/components.ts'
import { errorList, form } from '../../console/forms.ts'
import { list, moneyCell } from '../../console/list.ts'
import { type Say, sayCount, type Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { operatorOfPrefix } from '../../values/msisdn.ts'
import { fundsNote, moneyRows, refusedNote } from '../approvals/parts.ts'
import { writeWholeNumber } from '../approvals/words.ts'
import type { BookWord, DraftFacts, DraftLineFacts } from './draft-facts.ts'
import { mendingWords, sayFaultOfLine } from './fault-words.ts'
import { faultsForm } from './faults-form.ts'
import { filePanel } from './file-panel.ts'
import { questionsForm } from './questions-form.ts'
import { repeatedNote, repeatedTick } from './repeated-view.ts'
import { type FormLine, goneNote, meetLines, type TypedLines, versionField } from './typed-lines.ts'

type Request = ScreenRequest<'console'>

/** The number of lines with faults on a page, and of good lines. */
const FAULTS_SHOWN = 25
const GOOD_SHOWN = 50

/** The reason why the draft did not become a batch, in a sentence. */
export type DraftRefused = {
  readonly code: string
  readonly title: string
  readonly text: string
  /** The lines of a form that came too late. */
  readonly typed?: TypedLines
}

const bookWords: Readonly<Record<BookWord, readonly ['ok' | 'bad' | 'off', Words]>> = {
  same: ['ok', ['Le même', 'Same']],
  other: ['bad', ['Un autre', 'Different']],
  new: ['off', ['Nouveau numéro', 'New number']],
}

/** The page of a draft: first the faults of its lines, then the batch that it will make, and the good lines. */
export function draftView(request: Request, facts: DraftFacts, refused: DraftRefused | null = null): ScreenView {
  const { say, at, query } = request
  const { draft, lines, good_count } = facts
  const faulty = lines.filter(({ faults }) => faults.length > 0)
  const asked = lines.filter(({ faults, questions }) => faults.length === 0 && questions.length > 0)
  const late = refused?.typed === undefined ? null : meetLines(facts, refused.typed)
  const shown = late === null ? pageAfter(faulty, query.get('faults_after'), FAULTS_SHOWN) : noPage
  const opened = lines.filter(({ line, faults }) => faults.length === 0 && String(line) === query.get('line'))
  const inForm: readonly FormLine[] = late?.lines ?? [...shown.rows, ...opened]
  const title = titleOf(say, { faulty: faulty.length, asked: asked.length, good: good_count })
  const counts = { name: draft.name, read: lines.length, good: good_count }
  const lead = say(
    [
      '« {name} ». Lignes lues : {read}, bonnes : {good}. Rien n’est parti.',
      '“{name}”. Lines read: {read}, good: {good}. Nothing has left.',
    ],
    counts,
  )
  const path = at(`/batches/drafts/${draft.id}`)
  const errors = inForm.flatMap(({ line, faults }) =>
    faults.map((fault) => ({ field: `${fault.column}${line}`, text: sayFaultOfLine(say, line, fault) })),
  )
  const good = goodPanel(
    request,
    path,
    lines.filter(({ order }) => order !== null),
  )
  const open = faulty.length + asked.length
  const back =
    draft.from_batch_id === null
      ? backLink(
          at(`/batches/new?replaces=${draft.id}&version=${draft.version}`),
          say(['Autre fichier', 'Choose another file']),
        )
      : backLink(at(`/batches/${draft.from_batch_id}`), say(['Le lot d’avant', 'The batch before']))
  const nextFaults = sayCount(
    say,
    shown.left,
    ['L’autre ligne à corriger', 'The other line to correct'],
    ['Les {n} autres lignes à corriger', 'The {n} other lines to correct'],
  )
  const main = html`${back}
${pageHead({ title, lead })}
${refusedNote(refused)}
${late !== null && goneNote(say, late.gone)}
${formerNote(request, facts)}
${repeatedNote(request, facts.repeated, good_count)}
${errorList(say, errors)}
<div class="two">
<div class="stack">
${inForm.length > 0 && faultsForm(request, path, { draft, lines: inForm, faulty: faulty.length })}
${shown.next !== null && html`<div class="pages"><a href="${path}?faults_after=${shown.next}">${nextFaults}</a></div>`}
${late === null && questionsForm(request, path, facts)}
${late === null && batchPanel(request, path, facts, open)}
${open === 0 && good}
</div>
<div class="stack">
${open > 0 && good}
${filePanel(request, path, facts)}
</div>
</div>`
  return {
    kind: 'view',
    ...(refused !== null && { status: 409 }),
    title,
    main,
    facts: { ...facts, refused: refused && { code: refused.code } },
  }
}

/** The next step of a draft, as a title: lines to correct, then lines to confirm, then the lines that are ready. */
function titleOf(say: Say, { faulty, asked, good }: Record<'faulty' | 'asked' | 'good', number>): string {
  if (faulty > 0)
    return sayCount(
      say,
      faulty,
      ['{n} ligne à corriger', '{n} line to correct'],
      ['{n} lignes à corriger', '{n} lines to correct'],
    )
  if (asked > 0)
    return sayCount(
      say,
      asked,
      ['{n} ligne à confirmer', '{n} line to confirm'],
      ['{n} lignes à confirmer', '{n} lines to confirm'],
    )
  return sayCount(say, good, ['{n} ligne prête', '{n} line ready'], ['{n} lignes prêtes', '{n} lines ready'])
}

/** An empty page, while only the lines of a late form are shown. */
const noPage = { rows: [], next: null, left: 0 } as const

/** Returns a page of lines after one of them, and the number of remaining ones. */
function pageAfter(all: readonly DraftLineFacts[], after: string | null, limit: number) {
  const from = Number(after ?? 0)
  const rest = all.filter(({ line }) => !(line <= from))
  const page = rest.slice(0, limit)
  const left = rest.length - page.length
  return { rows: page, next: left > 0 ? page.at(-1)!.line : null, left }
}

function formerNote({ say, at, language }: Request, { former }: DraftFacts): Html {
  if (former === null) return html``
  const when = { when: writeShortDate(former.created_at, language) }
  const to = former.batch_id === null ? `/batches/drafts/${former.draft_id}` : `/batches/${former.batch_id}`
  const text =
    former.batch_id === null
      ? say(
          [
            'Le même fichier est venu le {when}. Ce brouillon attend encore.',
            'The same file came on {when}. That draft still waits.',
          ],
          when,
        )
      : say(
          [
            'Le même fichier est venu le {when}, et un lot en est né. N’envoyez pas deux fois.',
            'The same file came on {when}, and a batch was made of it. Do not send it twice.',
          ],
          when,
        )
  const see =
    former.batch_id === null ? say(['Voir ce brouillon', 'See that draft']) : say(['Voir ce lot', 'See that batch'])
  return note(
    'care',
    say(['Ce fichier est déjà venu', 'This file came before']),
    html`${text} <a href="${at(to)}">${see}</a>`,
  )
}

/** The batch of the good lines, and the button that makes it once no line has a fault or an open question. */
function batchPanel(request: Request, path: string, facts: DraftFacts, open: number): Html {
  const { say } = request
  const { good_count, total_amount, cap, funds } = facts
  const ready = open === 0 && good_count > 0
  const sum = { sum: writeAmount(total_amount) }
  const make = say(['Créer le lot de {sum}', 'Make the batch of {sum}'], sum)
  const send = say(['Créer et envoyer {sum}', 'Create and send {sum}'], sum)
  const only = html`<button class="quiet" formaction="${path}/create">${say(['Créer sans envoyer', 'Create without sending'])}</button>`
  // Above the cap another person approves first, so that making it sends nothing.
  const [to, buttons] = cap.exceeded
    ? [`${path}/create`, html`<button class="wide">${make}</button>`]
    : [`${path}/send`, html`<button class="wide">${send}</button><p class="acts">${only}</p>`]
  const none = say(['Il n’y a plus de ligne.', 'No line is left.'])
  const first = say([
    'Corrigez, confirmez ou retirez d’abord les lignes ci-dessus.',
    'Correct, confirm or remove the lines above first.',
  ])
  const act = ready
    ? form(request, to, html`${versionField(facts.draft)}${repeatedTick(request, facts.repeated)}${buttons}`)
    : html`<p class="hint">${good_count === 0 && open === 0 ? none : first}</p>`
  const lines = sayCount(say, good_count, ['{n} ligne bonne', '{n} good line'], ['{n} lignes bonnes', '{n} good lines'])
  const content = html`${act}
${rows([{ name: lines, value: writeAmount(total_amount) }, ...moneyRows(request, facts)])}
${cap.exceeded && aboveCapNote(say)}
${fundsNote(request, funds, 'batch')}`
  const title = ready ? say(['Le lot', 'The batch']) : say(['Le lot, une fois corrigé', 'The batch, once corrected'])
  return panel(title, content)
}

function goodPanel(request: Request, path: string, good: readonly DraftLineFacts[]): Html {
  const { say, query } = request
  const { rows: shown, next, left } = pageAfter(good, query.get('after'), GOOD_SHOWN)
  const looked = good.filter(
    (line) => line.book === 'other' || line.same_number_as !== null || line.mendings.length > 0,
  ).length
  const counts = { n: good.length, looked }
  const counted =
    looked > 0 ? say(['{n}, dont {looked} à regarder', '{n}, {looked} to look at'], counts) : String(good.length)
  const more = html`<span class="hint">${counted}</span>`
  const table = list({
    caption: say(['Lignes bonnes', 'Good lines']),
    size: 'few',
    rows: shown,
    columns: [
      { title: say(['Pour', 'For']), kind: 'k', cell: (line) => whoCell(request, path, line) },
      { title: say(['Nom au carnet', 'Name in the address book']), kind: '', cell: (line) => bookCell(request, line) },
      { title: 'F CFA', kind: 'm', cell: ({ order }) => moneyCell(order!.amount) },
    ],
  })
  const content = good.length > 0 ? table : html`<p class="hint">${say(['Aucune pour l’instant.', 'None yet.'])}</p>`
  const others = sayCount(
    say,
    left,
    ['L’autre ligne', 'The other line'],
    ['Les {n} autres lignes', 'The {n} other lines'],
  )
  const turn = next !== null && html`<div class="pages"><a href="${path}?after=${next}#good">${others}</a></div>`
  const title = say(['Les bonnes lignes', 'The good lines'])
  return html`${panel(title, content, { flush: good.length > 0, more, id: 'good' })}${turn}`
}

function whoCell({ say }: Request, path: string, { line, order, entry, cells }: DraftLineFacts): Html {
  const { destination } = order!
  const name = destination.kind === 'inline' ? destination.name : (entry?.name ?? '')
  const number = destination.kind === 'inline' ? destination.msisdn.e164 : (entry?.msisdn ?? '')
  const operator = destination.kind === 'inline' ? (destination.operator ?? operatorOfPrefix(destination.msisdn)) : null
  const correct = html`<span class="sr">${say(['Corriger la ligne ', 'Correct line '])}</span>`
  const link = html`<a href="${path}?line=${line}#line${line}">${correct}${line} · ${name}</a>`
  const under = [
    cells.reference !== undefined && html`<span class="sub">${cells.reference}</span>`,
    operator !== null && html`<span class="sub">${operatorName(operator)}</span>`,
  ]
  return html`${link}<span class="sub n">${writeWholeNumber(number)}</span>${under}`
}

function bookCell({ say }: Request, { book, entry, same_number_as, mendings }: DraftLineFacts): Html {
  const [shape, words] = bookWords[book!]
  const tags = [
    ...(same_number_as === null
      ? []
      : [say(['Même numéro que la ligne {n}', 'Same number as line {n}'], { n: same_number_as })]),
    ...mendings.map((mending) => say(mendingWords[mending])),
  ]
  const other = book === 'other' && say(['Au carnet : {name}', 'In the address book: {name}'], { name: entry!.name })
  const drawn = tags.map((tag) => html` <span class="tag care">${tag}</span>`)
  return html`${status(shape, say(words))}${other !== false && html`<span class="sub">${other}</span>`}${drawn}`
}

/** Beside the money of a draft whose lines together exceed the cap of 24 hours. */
export function aboveCapNote(say: Say): Html {
  const words = say([
    'Au-dessus du plafond de 24 h : rien ne part avant une approbation.',
    'Above the cap of 24 h: nothing leaves before it is approved.',
  ])
  return html`<p class="note care gap">${words}</p>`
}

/** Above the cap of 24 hours, in francs, a batch waits. */
export function waitsNote({ say }: Request, above: number): Html {
  const title = say(['Une autre personne valide d’abord', 'Another person approves first'])
  const text = say(
    [
      'Il est au-dessus du plafond de 24 h, {cap}. Rien ne part avant son accord.',
      'It is above the cap of 24 h, {cap}. Nothing leaves before they agree.',
    ],
    { cap: writeAmount(above) },
  )
  return note('care', title, text)
}
