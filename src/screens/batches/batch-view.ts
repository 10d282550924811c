import {
  backLink,
  id as idPiece,
  linkButton,
  note,
  operatorName,
  panel,
  rows,
  type StoryEvent,
  shareBar,
  status,
  story,
} from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { list, moneyCell, rowLink } from '../../console/list.ts'
import { sayCount, type Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { approvedToLaunch, statusWords } from '../../console/words.ts'
import type { LineRow, LineStatus } from '../../payout-batches/batch.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeDate } from '../../platform/http/pages/write-values.ts'
import { operatorOf, readerOf, refusedNote } from '../approvals/parts.ts'
import { type Names, nameWords, writePerson, writeWholeNumber } from '../approvals/words.ts'
import { isAsking } from '../ask-first.ts'
import { sayFailure } from '../operations/payment-page.ts'
import { askedPart, redraftWords } from './asked-view.ts'
import type { BatchPageFacts } from './batch-facts.ts'
import { sayLines } from './fault-words.ts'
import { writeDigest } from './file-panel.ts'
import { repeatedNote, repeatedTick } from './repeated-view.ts'
import { mendedIn } from './typed-lines.ts'

type Request = ScreenRequest<'console'>

/** The reason of a refused act on the batch, in a sentence. */
export type BatchRefused = { readonly code: string; readonly title: string; readonly text: string }

const LINES_SHOWN = 50

/** The page of a batch: its progress in a sentence, the one possible act, its lines, its money and its people. */
export function batchPage(
  request: Request,
  facts: BatchPageFacts,
  names: Names,
  refused: BatchRefused | null,
): ScreenView {
  const { say, at } = request
  const { batch } = facts
  const toLaunch = batch.status === 'brouillon' && batch.approved_at !== null
  const [shape, words] = toLaunch ? approvedToLaunch : statusWords.batch[batch.status]
  const name = batch.reference ?? say(['Lot', 'Batch'])
  const titled = html`<p>${status(shape, say(words))}</p><h1>${name} ${drawAmount(batch.total_amount)}</h1>`
  const head = html`${titled}<p class="say" role="status">${sentence(request, facts)}</p>`
  const main = html`${backLink(at('/batches'), say(['Lots', 'Batches']))}
${refusedNote(refused)}
<div class="two"><div class="stack">
<article class="slip"><header>${head}${progressBar(request, facts)}</header>${actOf(request, facts)}</article>
${linesPanel(request, facts)}
</div><div class="stack">
${moneyPanel(request, facts)}
${panel(say(['Qui', 'Who']), story(events(request, facts, names), request.language))}
${cancelPanel(request, batch)}
</div></div>`
  const { draft, ...known } = facts
  const file = draft && { draft_id: draft.id, file_name: draft.file_name, file_sha256: draft.file_sha256 }
  const shown = { ...known, file, refused: refused && { code: refused.code } }
  return {
    kind: 'view',
    ...(refused !== null && { status: 409 }),
    title: name,
    main,
    facts: shown,
    moving: batch.status === 'en_cours' || isAsking(facts.asked ?? []),
  }
}

function countOf({ lines }: BatchPageFacts, ...wanted: readonly LineStatus[]): number {
  return lines.filter(({ status: one }) => wanted.includes(one)).length
}

function sentence({ say }: Request, facts: BatchPageFacts): string {
  const { batch } = facts
  const n = batch.line_count
  const lines = sayLines(say, n)
  if (batch.status === 'brouillon') {
    return batch.approved_at === null
      ? say(['{lines}. Rien n’est parti.', '{lines}. Nothing has left.'], { lines })
      : say(['{lines}, approuvé. Rien n’est parti.', '{lines}, approved. Nothing has left.'], { lines })
  }
  if (batch.status === 'en_attente_validation') {
    return say(['{lines}. Rien ne part avant une approbation.', '{lines}. Nothing leaves before it is approved.'], {
      lines,
    })
  }
  if (batch.status === 'annule') {
    const nothing = say(
      ['{lines}. Rien n’est parti, et rien ne partira.', '{lines}. Nothing has left, and nothing will.'],
      { lines },
    )
    const { decline_reason: reason } = batch
    return reason === null
      ? nothing
      : `${nothing} ${say(['Refusé : « {reason} ».', 'Declined: “{reason}”.'], { reason })}`
  }
  const done = countOf(facts, 'succeeded')
  const some = (count: number, one: Words, more: Words) => (count === 0 ? '' : sayCount(say, count, one, more))
  const parts = [
    sayCount(
      say,
      done,
      [`{n} ligne sur ${n} est arrivée`, `{n} line of ${n} has arrived`],
      [`{n} lignes sur ${n} sont arrivées`, `{n} lines of ${n} have arrived`],
    ),
    some(countOf(facts, 'failed'), ['{n} a échoué', '{n} failed'], ['{n} ont échoué', '{n} failed']),
    some(
      countOf(facts, 'indeterminate'),
      ['{n} est en vérification', '{n} is being checked'],
      ['{n} sont en vérification', '{n} are being checked'],
    ),
    some(countOf(facts, 'processing', 'pending'), ['{n} part', '{n} is leaving'], ['{n} partent', '{n} are leaving']),
  ]
  return `${parts.filter((part) => part !== '').join(', ')}.`
}

function progressBar({ say }: Request, facts: BatchPageFacts): Html {
  const { batch } = facts
  if (batch.executed_at === null) return html``
  const done = countOf(facts, 'succeeded')
  const label = say(['{done} sur {lines}', '{done} of {lines}'], { done, lines: sayLines(say, batch.line_count) })
  return shareBar(Math.round((100 * done) / batch.line_count), { label })
}

/** The one act that is due, or the people who can do it. */
function actOf(request: Request, facts: BatchPageFacts): Html {
  const { say, at, can } = request
  const { batch, repeated } = facts
  const path = at(`/batches/${batch.id}`)
  const failed = countOf(facts, 'failed')
  if (batch.status === 'en_attente_validation') {
    const see = say(['Voir la demande d’approbation', 'See the request for approval'])
    return html`<div><p class="acts">${linkButton(at(`/approvals/${batch.id}`), see, 'second')}</p></div>`
  }
  if (batch.status === 'brouillon') {
    if (!can('payouts.make')) {
      const others = say([
        'Une personne qui peut demander des envois lance ce lot.',
        'A person who can request payouts sends this batch.',
      ])
      return html`<div>${note('', null, others)}</div>`
    }
    const twice =
      repeated && html`${repeatedNote(request, repeated, batch.line_count)}${repeatedTick(request, repeated)}`
    const send = html`<button class="wide">${say(['Lancer l’envoi', 'Send it'])}</button>`
    return html`<div>${form(request, `${path}/execute`, html`${twice}${send}`)}</div>`
  }
  if (failed === 0 || batch.executed_at === null) return html``
  const words = redraftWords(request, failed)
  if (facts.asked !== null) return askedPart(request, facts, facts.asked)
  const stay = say([
    'Les lignes échouées ne repartent pas toutes seules.',
    'Failed lines do not leave again by themselves.',
  ])
  const later = say([
    'Quand le lot est terminé, elles font un nouveau brouillon.',
    'Once the batch has ended, they make a new draft.',
  ])
  const alone = html`<p>${stay}${batch.finished_at === null && ` ${later}`}</p>`
  const button =
    batch.finished_at !== null &&
    can('payouts.make') &&
    form(request, `${path}/failed`, html`<button class="second">${words}</button>`, { class: 'acts' })
  return html`<div>${alone}${button}</div>`
}

/** The cancellation of a batch that has sent nothing. It is at the end of the page and asks twice, because it is final. */
function cancelPanel(request: Request, { id, status: one }: BatchPageFacts['batch']): Html {
  const { say, at, can } = request
  if (!can('payouts.make') || (one !== 'brouillon' && one !== 'en_attente_validation')) return html``
  const words = say([
    'Rien n’est parti. Un lot annulé ne se lance plus, et ne compte plus dans le plafond de 24 h.',
    'Nothing has left. A cancelled batch cannot be sent any more, and no longer counts towards the cap of 24 h.',
  ])
  const title = say(['Annuler ce lot', 'Cancel this batch'])
  const button = html`<button class="stop">${title}</button>`
  const cancel = form(request, at(`/batches/${id}/cancel`), button, { class: 'acts' })
  return html`<details class="panel"><summary>${title}</summary><div><p>${words}</p>${cancel}</div></details>`
}

function linesPanel(request: Request, { batch, lines, checks }: BatchPageFacts): Html {
  const { say, at, query } = request
  const from = Number(query.get('after') ?? 0)
  const rest = lines.filter(({ rank }) => !(rank <= from))
  const shown = rest.slice(0, LINES_SHOWN)
  const left = rest.length - shown.length
  const words = new Map(checks.map(({ rank, name_check }) => [rank, name_check]))
  const table = list({
    caption: say(['Lignes du lot', 'Lines of the batch']),
    size: 'few',
    rows: shown,
    columns: [
      { title: say(['Ligne', 'Line']), kind: 'k', cell: (line) => whoCell(request, line) },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: (line) => stateCell(request, line, words.get(line.rank) ?? null),
      },
      { title: say(['Opérateur', 'Operator']), kind: '', cell: ({ operator }) => operatorName(operatorOf(operator)) },
      { title: 'F CFA', kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
  const others = say(['Les {n} autres lignes', 'The {n} other lines'], { n: left })
  const next = left > 0 && html`<a href="${at(`/batches/${batch.id}?after=${shown.at(-1)!.rank}#lines`)}">${others}</a>`
  const linesShown = panel(say(['Les lignes', 'The lines']), table, { flush: true, id: 'lines' })
  return html`${linesShown}${namesPart(request, batch, checks)}${next && html`<div class="pages">${next}</div>`}`
}

/** Before a batch is executed: the button that checks the names, or the number of running checks. */
function namesPart(
  { nonce, say, at, can }: Request,
  batch: BatchPageFacts['batch'],
  checks: BatchPageFacts['checks'],
): Html {
  if (batch.executed_at !== null || batch.status === 'annule') return html``
  const asked = checks.filter(({ name_check_asked_at }) => name_check_asked_at !== null).length
  if (asked > 0) {
    const words = say(
      [
        '{n} noms sont demandés aux opérateurs. Rouvrez la page dans un instant.',
        '{n} names are being asked. Open the page again in a moment.',
      ],
      { n: asked },
    )
    return html`<p class="hint">${words}</p>`
  }
  const unknown = checks.some(({ name_check }) => name_check === null || name_check === 'unknown')
  if (!unknown || !can('payouts.make')) return html``
  return form(
    { nonce },
    at(`/batches/${batch.id}/names`),
    html`<button class="second small">${say(['Vérifier les noms chez les opérateurs', 'Check the names at the operators'])}</button>`,
    { class: 'acts' },
  )
}

type Line = BatchPageFacts['lines'][number]

function whoCell({ at }: Request, { rank, name, label, msisdn, payout_id }: Line): Html {
  const text = `${rank} · ${name ?? label ?? '–'}`
  const under = html`<span class="n">${writeWholeNumber(msisdn)}</span>`
  return payout_id === null
    ? html`${text}<span class="sub">${under}</span>`
    : rowLink(at(`/payouts/${payout_id}`), text, under)
}

function stateCell({ say }: Request, line: Line, check: BatchPageFacts['checks'][number]['name_check']): Html {
  const [shape, words] = statusWords.line[line.status]
  const why = whyOf(say, line)
  const word = check !== null && line.status === 'pending' ? nameWords[check] : null
  const name = word && html` ${status(word[0], `${say(['Nom : ', 'Name: '])}${say(word[1])}`)}`
  return html`${status(shape, say(words))}${why !== '' && html`<span class="sub">${why}</span>`}${name}`
}

function whyOf(say: Request['say'], { status: one, failure_code, payout_id }: LineRow | Line): string {
  if (one === 'indeterminate') return say(['Ne la repayez pas encore.', 'Do not pay it again yet.'])
  if (failure_code === null) return ''
  if (failure_code === 'insufficient_funds')
    return say(['Le solde d’envoi ne suffisait pas.', 'The payout balance was too low.'])
  if (failure_code === 'cancelled' && payout_id === null)
    return say(['Cette entrée du carnet était archivée.', 'This entry of the address book was archived.'])
  return sayFailure(say, failure_code)
}

function moneyPanel(request: Request, { batch, lines, draft }: BatchPageFacts): Html {
  const { say, language, at, can } = request
  const fee_amount = lines.reduce((sum, line) => sum + line.fee_amount, 0)
  const file = draft?.file_name ?? null
  const facts = rows([
    { name: sayLines(say, batch.line_count), value: writeAmount(batch.total_amount) },
    { name: say(['Frais', 'Fees']), value: writeAmount(fee_amount) },
    { name: say(['En tout', 'Total']), value: writeAmount(batch.total_amount + fee_amount), all: true },
    { name: say(['Créé', 'Created']), value: writeDate(batch.created_at, language) },
    file !== null && {
      name: say(['Fichier', 'File']),
      value: can('payouts.make') ? html`<a href="${at(`/batches/drafts/${draft!.id}/file`)}">${file}</a>` : file,
    },
    draft !== null &&
      draft.file_sha256 !== null && {
        name: say(['Empreinte', 'Fingerprint']),
        value: idPiece(writeDigest(draft.file_sha256)),
      },
    draft !== null &&
      draft.from_batch_id !== null && {
        name: say(['Lignes échouées de', 'Failed lines of']),
        value: html`<a href="${at(`/batches/${draft.from_batch_id}`)}">${say(['ce lot', 'this batch'])}</a>`,
      },
    { name: say(['Référence', 'Reference']), value: idPiece(batch.id) },
  ])
  return panel(say(['Le lot', 'The batch']), facts)
}

/** The acts of people on the batch, oldest first. */
function events(request: Request, { batch, draft }: BatchPageFacts, names: Names): StoryEvent[] {
  const { say } = request
  const reader = readerOf(request, names)
  const event = (at: Date | null, icon: StoryEvent['icon'], text: Html, kind?: StoryEvent['kind']): StoryEvent[] =>
    at === null ? [] : [{ at, icon, text, ...(kind !== undefined && { kind }) }]
  const by = (words: Words, person: string | null, more: Piece = '') =>
    html`${say(words)}${person !== null && html`${say([' par ', ' by '])}${writePerson(reader, person)}`}${more}`
  const mended = draft === null ? 0 : mendedIn(draft)
  const corrected =
    mended === 0
      ? ''
      : sayCount(
          say,
          mended,
          ['. {n} ligne corrigée sur place', '. {n} line corrected in place'],
          ['. {n} lignes corrigées sur place', '. {n} lines corrected in place'],
        )
  const file = draft?.file_name ?? null
  return [
    ...event(
      file === null ? null : draft!.created_at,
      'sheet',
      html`${file} · ${by(['déposé', 'sent'], draft?.made_by ?? null)}`,
    ),
    ...event(batch.created_at, 'person', by(['Lot créé', 'Batch created'], batch.made_by, corrected)),
    ...event(batch.approved_at, 'stamp', by(['Approuvé', 'Approved'], batch.decided_by), 'ok'),
    ...event(batch.executed_at, 'out', by(['Lancé', 'Sent'], batch.executed_by)),
    ...event(
      batch.finished_at,
      'ok',
      html`${say(['Chaque ligne a son issue', 'Every line has its outcome'])}`,
      batch.status === 'termine' ? 'ok' : 'care',
    ),
  ]
}
