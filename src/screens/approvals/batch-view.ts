import { backLink, id as idPiece, panel, rows, status } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { list, moneyCell } from '../../console/list.ts'
import { sayCount } from '../../console/say.ts'
import type { ScreenView } from '../../console/screen.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeDate, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { sayLines } from '../batches/fault-words.ts'
import { type Alone, alonePart, endedNote } from './alone-part.ts'
import type { SeenLine } from './differences.ts'
import {
  type ApprovalRequest,
  blockedNote,
  decideForm,
  differsSection,
  fundsNote,
  moneyRows,
  type Refused,
  readerOf,
  refusedNote,
  whyNot,
} from './parts.ts'
import type { BatchFacts } from './read-batch.ts'
import { type Names, nameWords, writePerson, writeReason, writeWholeNumber } from './words.ts'

/** The number of usual lines that the page shows first. */
const USUAL_SHOWN = 20

/** The facts on the page of a batch. */
export type BatchPage = {
  readonly facts: BatchFacts
  readonly names: Names
  /** False when this person made it, or made the API key that did. */
  readonly independent: boolean
  /** For a person who is not independent: whether they may decide alone. Null for an independent one. */
  readonly alone: Alone | null
  /** The reason of a refused decision; the subject still waits. */
  readonly refused: (Refused & { code: string }) | null
}

/** The page of a batch that waits: its total first, then its unusual lines. */
export function batchView(
  request: ApprovalRequest,
  { facts, names, independent, alone, refused }: BatchPage,
): ScreenView {
  const { say, language, at } = request
  const { batch, cap } = facts
  const blocked = whyNot(request, independent)
  const deciding = alone === null ? null : alonePart(request, at(`/approvals/${batch.id}`), alone)
  const main = html`${backLink(at('/approvals'), say(['À approuver', 'To approve']))}
${refusedNote(refused)}
<div class="two">
<article class="slip">
<header>
<h1><span class="sr">${say(['Lot à approuver : ', 'Batch to approve: '])}</span>${drawAmount(batch.total_amount)}</h1>
<p class="say">${batch.reference !== null && html`<b>${batch.reference}</b>, `}${sayLines(say, batch.line_count)}</p>
${rows([
  { name: say(['Demandé par', 'Requested by']), value: writePerson(readerOf(request, names), batch.made_by) },
  { name: say(['Pourquoi', 'Why']), value: writeReason(say, { reason: 'plafond_24h', cap: cap.cap }) },
  { name: say(['Expire', 'Expires']), value: say(['n’expire pas', 'does not expire']) },
])}
</header>
${differsSection(request, differences(request, facts))}
<section aria-labelledby="det"><h2 id="det">${say(['Le lot', 'The batch'])}</h2>
${rows([
  { name: say(['Fait', 'Created']), value: writeDate(batch.created_at, language) },
  ...moneyRows(request, facts),
  {
    name: say(['Fichier et personnes', 'File and people']),
    value: html`<a href="${at(`/batches/${batch.id}`)}">${say(['la page du lot', 'the page of the batch'])}</a>`,
  },
  { name: say(['Référence', 'Reference']), value: idPiece(batch.id) },
])}</section>
${blocked === null && decideForm(request, batch.id)}
</article>
<div class="stack">
${alone && endedNote(request, alone)}${deciding ?? (blocked !== null && blockedNote(blocked))}
${fundsNote(request, facts.funds, 'batch')}
${linesPanel(request, facts)}
</div>
</div>`
  return {
    kind: 'view',
    ...(refused !== null && { status: 409 }),
    title: say(['Approuver un lot', 'Approve a batch']),
    main,
    facts: { ...facts, may_decide: blocked === null, alone, refused: refused && { code: refused.code } },
    deciding: blocked === null,
  }
}

function differences(
  { say, language }: ApprovalRequest,
  { lines, last_batch }: BatchFacts,
): ({ same: boolean; text: Piece } | null)[] {
  const ranks = (some: readonly SeenLine[]) => some.map(({ rank }) => rank).join(', ')
  const which = (some: readonly SeenLine[]) => {
    if (some.length === 1) return say(['ligne {ranks}.', 'line {ranks}.'], { ranks: ranks(some) })
    if (some.length <= 10) return say(['lignes {ranks}.', 'lines {ranks}.'], { ranks: ranks(some) })
    return say(['{n} lignes.', '{n} lines.'], { n: some.length })
  }
  const about = (some: readonly SeenLine[], title: string): { same: boolean; text: Piece } | null =>
    some.length === 0 ? null : { same: false, text: html`<b>${title}</b> ${which(some)}` }
  const twice = lines.filter(({ same_number_as, same_amount_at }) => same_number_as !== null || same_amount_at !== null)
  return [
    about(
      lines.filter(({ changed_from }) => changed_from !== null),
      say(['Numéro changé depuis le dernier lot :', 'Number changed since the last batch:']),
    ),
    about(
      lines.filter(({ name_check }) => name_check === 'no_match'),
      say(['Nom d’un autre :', 'Name of somebody else:']),
    ),
    about(
      lines.filter(({ name_check }) => name_check === 'close'),
      say(['Nom proche :', 'Close name:']),
    ),
    about(
      lines.filter(({ new_number }) => new_number),
      say(['Premier envoi à ce numéro :', 'First payout to this number:']),
    ),
    about(twice, say(['Peut-être en double :', 'Perhaps twice:'])),
    twice.length > 0 ? null : { same: true, text: say(['Aucune ligne en double.', 'No line twice.']) },
    last_batch === null
      ? null
      : {
          same: Math.abs(last_batch.percent) < 50,
          text: say(
            ['Dernier lot, du {when} : {total}, soit {percent}.', 'Last batch, of {when}: {total}, so {percent}.'],
            {
              when: writeShortDate(last_batch.made_at, language),
              total: writeAmount(last_batch.total),
              percent:
                last_batch.percent >= 0
                  ? say(['{n} % de plus', '{n} % more'], { n: last_batch.percent })
                  : say(['{n} % de moins', '{n} % less'], { n: -last_batch.percent }),
            },
          ),
        },
  ]
}

function linesPanel(request: ApprovalRequest, { lines, names_asked, batch }: BatchFacts): Html {
  const { say, at, query } = request
  const unusual = lines.filter((line) => line.unusual).length
  const all = query.get('lines') === 'all'
  const shown = all ? lines : lines.slice(0, unusual + USUAL_SHOWN)
  const rest = lines.length - shown.length
  const count = say(['{unusual} à regarder, {usual} comme d’habitude', '{unusual} to look at, {usual} as usual'], {
    unusual,
    usual: lines.length - unusual,
  })
  const unasked = lines.some(({ name_check }) => name_check === null || name_check === 'unknown')
  const check = say(['Vérifier les noms chez les opérateurs', 'Check the names at the operators'])
  const asked = sayCount(
    say,
    names_asked,
    [
      '{n} nom est demandé à l’opérateur. Rouvrez la page dans un instant.',
      '{n} name is being asked. Open the page again in a moment.',
    ],
    [
      '{n} noms sont demandés aux opérateurs. Rouvrez la page dans un instant.',
      '{n} names are being asked. Open the page again in a moment.',
    ],
  )
  const askNames =
    request.can('payouts.approve') && unasked && names_asked === 0
      ? form(request, at(`/approvals/${batch.id}/names`), html`<button class="second small">${check}</button>`, {
          class: 'acts',
        })
      : names_asked > 0 && html`<p class="hint">${asked}</p>`
  const table = list({
    caption: say(['Lignes du lot', 'Lines of the batch']),
    size: 'few',
    rows: shown,
    columns: [
      {
        title: say(['Pour', 'For']),
        kind: 'k',
        cell: ({ rank, name, label, msisdn }) =>
          html`${name ?? label ?? '–'}<span class="sub n">${rank} · ${writeWholeNumber(msisdn)}</span>`,
      },
      {
        title: say(['À regarder', 'To look at']),
        kind: '',
        cell: (line) => lineTags(request, line),
      },
      { title: 'F CFA', kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
  const others = sayCount(
    say,
    rest,
    ['L’autre ligne', 'The other line'],
    ['Les {n} autres lignes', 'The {n} other lines'],
  )
  const link = html`<a href="${at(`/approvals/${batch.id}?lines=all#lines`)}">${others}</a>`
  const linesShown = panel(say(['Les lignes', 'The lines']), table, {
    flush: true,
    id: 'lines',
    more: html`<span class="soft">${count}</span>`,
  })
  return html`${linesShown}${rest > 0 && html`<div class="pages">${link}</div>`}${askNames}`

  function lineTags({ say, language }: ApprovalRequest, line: SeenLine): Html {
    const word = line.name_check === null ? null : nameWords[line.name_check]
    const tags = [
      line.changed_from !== null &&
        say(['Numéro changé (avant : ••{end})', 'Number changed (was ••{end})'], { end: line.changed_from }),
      line.new_number && say(['Nouveau numéro', 'New number']),
      line.same_number_as !== null &&
        say(['Même numéro que la ligne {n}', 'Same number as line {n}'], { n: line.same_number_as }),
      line.same_amount_at !== null &&
        say(['Même montant le {when}', 'Same amount on {when}'], {
          when: writeShortDate(line.same_amount_at, language),
        }),
    ].filter((tag) => tag !== false)
    const name = word && status(word[0], `${say(['Nom : ', 'Name: '])}${say(word[1])}`)
    return html`${name}${tags.map((tag) => html` <span class="tag care">${tag}</span>`)}`
  }
}
