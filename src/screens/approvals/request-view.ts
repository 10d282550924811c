import { backLink, id as idPiece, miniTable, panel, rows, status } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { moneyCell } from '../../console/list.ts'
import type { ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { NameMatch } from '../../operators/port.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeDate, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { type Alone, alonePart, endedNote } from './alone-part.ts'
import { ALIKE_DAYS } from './differences.ts'
import {
  type ApprovalRequest,
  blockedNote,
  decideForm,
  differsSection,
  fundsNote,
  moneyRows,
  operatorPiece,
  type Refused,
  readerOf,
  refusedNote,
  whyNot,
} from './parts.ts'
import type { RequestFacts } from './read-request.ts'
import { type Names, nameWords, writeDecimal, writePerson, writeReason, writeWholeNumber } from './words.ts'

/** The facts on the page of a request. */
export type RequestPage = {
  readonly facts: RequestFacts
  readonly names: Names
  /** False when this person made it, or made the API key that did. */
  readonly independent: boolean
  /** The people who may decide, for a person who is not independent. */
  readonly deciders: readonly string[]
  /** For a person who is not independent: whether they may decide alone. Null for an independent one. */
  readonly alone: Alone | null
  /** The operator's answer about the name, if this page asked for it. */
  readonly name_check: NameMatch | null
  /** The reason of a refused decision; the subject still waits. */
  readonly refused: (Refused & { code: string }) | null
}

/** The page of a request that waits: amount, recipient, maker, reason and expiry come first, and the two buttons stay in view. */
export function requestView(
  request: ApprovalRequest,
  { facts, names, independent, deciders, alone, name_check, refused }: RequestPage,
): ScreenView {
  const { say, language, at } = request
  const { request: row, last } = facts
  const reader = readerOf(request, names)
  const blocked = whyNot(request, independent)
  const isToldAbove = refused?.code === 'expires_first'
  const deciding = alone === null || isToldAbove ? null : alonePart(request, at(`/approvals/${row.id}`), alone)
  const few = say(['Trop peu d’envois pour comparer le montant.', 'Too few payouts to compare the amount.'])
  const tooFew = facts.usual === null && html`<p class="hint">${few}</p>`
  const asking = name_check === null && request.can('payouts.approve') && askName(request, row.id)
  const next =
    !independent &&
    waitingPart(
      request,
      facts,
      deciders.map((person) => names.get(person) ?? person),
    )
  const main = html`${backLink(at('/approvals'), say(['À approuver', 'To approve']))}
${refusedNote(refused)}${next}
<div class="two${next && ' gap'}">
<article class="slip">
<header>
<h1><span class="sr">${say(['Envoi à approuver : ', 'Payout to approve: '])}</span>${drawAmount(row.amount)}</h1>
<p class="say">${recipient(facts)}</p>
${rows([
  { name: say(['Demandé par', 'Requested by']), value: writePerson(reader, row.made_by) },
  { name: say(['Pourquoi', 'Why']), value: writeReason(say, row) },
  { name: say(['Expire', 'Expires']), value: writeShortDate(row.expires_at, language) },
])}
</header>
${differsSection(request, differences(request, facts, name_check), html`${tooFew}${asking}`)}
<section aria-labelledby="det"><h2 id="det">${say(['La demande', 'The request'])}</h2>
${rows([
  { name: say(['Opérateur', 'Operator']), value: operatorPiece(row.operator) },
  row.reference !== null && { name: say(['Pour', 'For']), value: row.reference },
  { name: say(['Faite', 'Created']), value: writeDate(row.created_at, language) },
  ...moneyRows(request, facts),
  { name: say(['Référence', 'Reference']), value: idPiece(row.id) },
])}</section>
${blocked === null && decideForm(request, row.id)}
</article>
<div class="stack">
${alone && endedNote(request, alone)}${deciding ?? (blocked !== null && blockedNote(blocked))}
${fundsNote(request, facts.funds, alone?.last?.ended_at === null ? 'approved' : 'request')}
${last.length > 0 && panel(say(['Derniers envois à ce numéro', 'Last payouts to this number']), lastPayouts(request, facts))}
</div>
</div>`
  return {
    kind: 'view',
    ...(refused !== null && { status: 409 }),
    title: say(['Approuver un envoi', 'Approve a payout']),
    main,
    facts: { ...facts, name_check, may_decide: blocked === null, alone, refused: refused && { code: refused.code } },
    deciding: blocked === null,
    moving: blocked !== null,
  }
}

/** The next step, for the maker: who may decide, and when the request falls. */
function waitingPart(
  { say, language }: ApprovalRequest,
  { request: { expires_at } }: RequestFacts,
  people: string[],
): Html {
  const shown = people.slice(0, DECIDERS_SHOWN).join(', ')
  const told =
    people.length === 0
      ? say(['Personne d’autre ne peut l’approuver aujourd’hui.', 'Nobody else may approve it today.'])
      : say(['Peuvent l’approuver : {people}.', 'They may approve it: {people}.'], { people: shown })
  const end = say(
    [
      'Rien n’est parti. L’argent n’est pris qu’à l’accord. Sans réponse, la demande tombe le {when}.',
      'Nothing has left. The money is taken only when they agree. Without an answer the request ends on {when}.',
    ],
    { when: writeShortDate(expires_at, language) },
  )
  return panel(
    say(['Ce qui se passe ensuite', 'What happens next']),
    html`<p>${end}</p><p class="gap"><b>${told}</b></p>`,
  )
}

/** The most people named on the page. */
const DECIDERS_SHOWN = 5

type Recipient = Pick<RequestFacts['request'], 'name' | 'label' | 'msisdn'>

/** The recipient as the request names it. */
export function recipient({ request: { name, label, msisdn } }: { request: Recipient }): Html {
  const known = name ?? label
  return html`${known !== null && html`<b>${known}</b>, `}<span class="n">${writeWholeNumber(msisdn)}</span>`
}

function differences(
  request: ApprovalRequest,
  { last_sent_at, in_book_since, alike, usual }: RequestFacts,
  name_check: NameMatch | null,
): ({ same: boolean; text: Piece } | null)[] {
  const { say, language } = request
  const when = (date: Date) => writeShortDate(date, language)
  const lastSent = (at: Date) =>
    say(['Dernier envoi à ce numéro : {when}.', 'Last payout to this number: {when}.'], { when: when(at) })
  const inBook =
    in_book_since === null
      ? ''
      : say([' Au carnet depuis le {when}.', ' In the address book since {when}.'], { when: when(in_book_since) })
  return [
    last_sent_at === null
      ? {
          same: false,
          text: html`<b>${say(['Premier envoi à ce numéro.', 'First payout to this number.'])}</b>${inBook}`,
        }
      : { same: true, text: html`${lastSent(last_sent_at)}${inBook}` },
    alike === null
      ? {
          same: true,
          text: say(
            [
              'Aucun envoi du même montant à ce numéro depuis {days} jours.',
              'No payout of this amount to this number for {days} days.',
            ],
            { days: ALIKE_DAYS },
          ),
        }
      : {
          same: false,
          text: html`<b>${say(['Peut-être en double.', 'Perhaps asked twice.'])}</b> ${alikeWords(request, alike)}`,
        },
    usual === null
      ? null
      : {
          same: !usual.unusual,
          text: html`<b>${say(['{times} fois la moyenne', '{times} times the mean'], { times: writeDecimal(say, usual.times) })}</b> ${say(
            ['de vos {n} derniers envois ({mean}).', 'of your last {n} payouts ({mean}).'],
            { n: usual.payouts, mean: writeAmount(usual.mean) },
          )}`,
        },
    name_check === null
      ? null
      : {
          same: name_check === 'match',
          text: html`${say(['Nom chez l’opérateur : ', 'Name at the operator: '])}<b>${say(nameWords[name_check][1])}</b>.`,
        },
  ]
}

/** The button that checks the name. The page does not ask the operator by itself, because checks are limited and take seconds. */
function askName(request: ApprovalRequest, id: string): Html {
  const { say, at } = request
  return form(
    request,
    at(`/approvals/${id}/names`),
    html`<button class="second small">${say(['Vérifier le nom chez l’opérateur', 'Check the name at the operator'])}</button>`,
    { class: 'acts' },
  )
}

/** The other operation of the same amount to the same number, with its link. */
function alikeWords({ say, at, language }: ApprovalRequest, alike: NonNullable<RequestFacts['alike']>): Html {
  if (alike.kind === 'payout') {
    const same = say(['Même montant au même numéro le {when} : ', 'Same amount to the same number on {when}: '], {
      when: writeShortDate(alike.at, language),
    })
    return html`${same}<a href="${at(`/payouts/${alike.id}`)}">${say(['voir l’envoi', 'see the payout'])}</a>.`
  }
  const waits = say(['Une autre demande du même montant attend : ', 'Another request of the same amount waits: '])
  return html`${waits}<a href="${at(`/approvals/${alike.id}`)}">${say(['la voir', 'see it'])}</a>.`
}

function lastPayouts({ say, language, at }: ApprovalRequest, { last }: RequestFacts): Html {
  const lines = last.map(({ id, created_at, amount, status: state }) => {
    const [shape, words] = statusWords.payout[state as keyof typeof statusWords.payout]
    const link = html`<a href="${at(`/payouts/${id}`)}">${writeShortDate(created_at, language)}</a>`
    return html`<tr><td>${link}</td><td>${status(shape, say(words))}</td><td class="n">${moneyCell(amount)}</td></tr>`
  })
  return miniTable({ texts: [say(['Quand', 'When']), say(['État', 'State'])], numbers: ['F CFA'] }, lines)
}
