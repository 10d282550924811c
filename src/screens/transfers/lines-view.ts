import {
  backLink,
  blank,
  status as drawStatus,
  note,
  pageHead,
  panel,
  type StatusShape,
} from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { type Column, list, moneyCell, rowLink } from '../../console/list.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeDay } from '../../platform/http/pages/write-values.ts'
import { type Doubt, type LineMatch, type MatchedLine, settlementsOf } from '../../settlements/bank/line-match.ts'
import type { BankLine } from '../../settlements/bank/read-lines.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { isIndependentApprover } from '../../values/independent-approver.ts'
import { samePerson, sayStanding } from '../desk/settlement-standing.ts'
import { destinationName } from '../desk/settlement-view.ts'

type Request = ScreenRequest<'desk'>

/** Transfers that one confirmation enters at most. */
export const TRANSFERS_MAX = 100

/** A file as it was read, with the names of merchants and people in it. */
export type LinesRead = {
  readonly matched: readonly MatchedLine[]
  /** Lines without a sum. */
  readonly left_aside: number
  /** The accounts of its lines are our own, and were not compared. */
  readonly our_account: boolean
  readonly merchants: ReadonlyMap<number, string>
  readonly names: ReadonlyMap<string, string>
}

type Match = Extract<LineMatch, { kind: 'match' }>
type Payable = { readonly line: BankLine; readonly match: Match }

/** Every line of a file with the settlement that it pays, before anything is entered. */
export function linesView(request: Request, read: LinesRead): ScreenView {
  const { say, at, actor } = request
  const matches = read.matched.filter((one): one is Payable => one.match.kind === 'match')
  const free = matches.filter(({ match }) => isIndependentOf(match.settlement, actor.person))
  const offered = free.slice(0, TRANSFERS_MAX)
  // Money that came in and is of no settlement is counted, and not listed.
  const [sure, strange] = [new Set<MatchedLine>(offered), new Set(read.matched.filter(isStrange))]
  const others = read.matched.filter((one) => !sure.has(one) && !strange.has(one))
  const left_aside = read.left_aside + strange.size
  const title = say(['Virements de la banque', 'Transfers of the bank'])
  const aside =
    left_aside > 0 &&
    say([' Laissées de côté, car rien n’en sort : {n}.', ' Left aside, because no money left there: {n}.'], {
      n: left_aside,
    })
  const lead = html`${say(['Lignes : {n}. À inscrire : {free}.', 'Lines: {n}. To enter: {free}.'], { n: read.matched.length, free: free.length })}${aside}${free.length > offered.length && say([' Les {max} premières d’abord.', ' The first {max} first.'], { max: TRANSFERS_MAX })}`
  const main = html`${backLink(at('/settlements/transfers'), say(['Un autre fichier', 'Another file']))}${pageHead({ title, lead })}
<div class="stack">${read.our_account && note('', say(['Compte non comparé', 'Account not compared']), say(['La colonne du compte a partout le même, sans doute le nôtre. Si c’est celui du bénéficiaire, titrez-la « compte bénéficiaire ».', 'The column of the account has the same one everywhere, probably our own. If it is the beneficiary’s, title it “beneficiary account”.']))}${offered.length === 0 ? panel(null, blank('bank', { title: say(['Rien à inscrire', 'Nothing to enter']) })) : offeredForm(request, read, offered)}${others.length > 0 && panel(say(['Les autres lignes', 'The other lines']), otherLines(request, read, others), { flush: true })}</div>`
  const facts = {
    lines: read.matched.map(({ line, match }) => ({ ...shownLine(line), ...shownMatch(match) })),
    left_aside: read.left_aside,
    our_account: read.our_account,
  }
  return { kind: 'view', title, main, facts }
}

function isStrange({ match }: MatchedLine): boolean {
  return match.kind === 'in' && match.settlements.length === 0
}

/** A line for a program: of an account nothing, because the whole one stands there. */
function shownLine({ line, direction, amount, date, value_date, unread_date, reference, fault }: BankLine) {
  return { line, direction, amount, date, value_date, unread_date, reference, fault }
}

function shownMatch(match: LineMatch) {
  const why = match.kind === 'ambiguous' ? match.why : null
  const days = match.kind === 'match' ? match.days : null
  return { kind: match.kind, why, days, settlement_ids: settlementsOf(match).map(({ id }) => id) }
}

/** Whether this person may enter the transfer of a settlement: another one than who asked and who validated. */
export function isIndependentOf({ made_by, validated_by }: SettlementRow, person: string): boolean {
  return [made_by, validated_by].every((other) => other === null || isIndependentApprover(other, person))
}

const byWords: Readonly<Record<Match['by'], Words>> = {
  label: ['notre référence', 'our reference'],
  account: ['le compte', 'the account'],
  holder: ['le titulaire', 'the holder'],
}

/** Whether nothing speaks against a match: our reference names it, and its days are after the validation and not to come. */
function isSure({ by, days }: Match): boolean {
  return by === 'label' && days === null
}

/** The transfers that can be entered. The sure ones are ticked; of the others a person looks at each. */
function offeredForm(request: Request, { merchants }: LinesRead, offered: readonly Payable[]): Html {
  const { say, at } = request
  const table = list<Payable>({
    caption: say(['Virements à inscrire', 'Transfers to enter']),
    rows: offered,
    columns: [
      {
        title: say(['Marchand', 'Merchant']),
        kind: 'k',
        cell: ({ line, match }) =>
          html`<label class="choice"><input type="checkbox" name="pay" value="${`${match.settlement.id} ${line.reference}`}"${isSure(match) && html` checked`}><span><b>${merchants.get(match.settlement.merchant_id) ?? String(match.settlement.merchant_id)}</b><span class="sub">${destinationName(match.settlement)}, ${match.settlement.name}</span></span></label>${daysField(match.settlement, line)}`,
      },
      {
        title: say(['Trouvé par', 'Found by']),
        kind: 's',
        cell: ({ match }) => drawStatus(match.by === 'label' ? 'ok' : 'doubt', say(byWords[match.by])),
      },
      {
        title: say(['Référence', 'Reference']),
        kind: '',
        label: say(['Réf.', 'Ref.']),
        cell: ({ line }) => line.reference,
      },
      {
        title: say(['Date', 'Date']),
        kind: '',
        label: 'Date',
        cell: (one) => daysOf(request, one),
      },
      { title: say(['Ligne', 'Line']), kind: 'w', cell: ({ line }) => line.line },
      { title: 'F CFA', kind: 'm', cell: ({ match }) => moneyCell(match.settlement.amount) },
    ],
  })
  const button = html`<div class="acts"><button>${say(['Inscrire les virements cochés', 'Enter the ticked transfers'])}</button></div><p class="hint">${say(['Ceux qui portent notre référence, à une date qui convient, sont cochés. N’en cochez un autre qu’après l’avoir vérifié : date, compte et nom.', 'Those that have our reference, on a day that fits, are ticked. Tick another one only after you checked it: date, account and name.'])}</p>`
  return form(
    request,
    at('/settlements/transfers/record'),
    html`${panel(say(['À inscrire', 'To enter']), table, { flush: true })}${button}`,
  )
}

/** The days of a line, which the form brings back with its reference: `stl_… 2026-11-25 2026-11-26`, each day empty where there is none. */
function daysField({ id }: SettlementRow, { date, value_date }: BankLine): Html {
  return html`<input type="hidden" name="days" value="${`${id} ${date ?? ''} ${value_date ?? ''}`}">`
}

/** The days of a transfer as the bank gives them, and why a person checks them. */
function daysOf(request: Request, { line, match }: Payable): Html {
  const { say, language } = request
  const written = (day: string | null) => (day === null ? '' : writeDay(new Date(day), language))
  const doubt = sayDayDoubt(request, line, match)
  return html`${written(line.date)}${line.value_date !== null && html`<span class="sub">${say(['Valeur : {day}', 'Value: {day}'], { day: written(line.value_date) })}</span>`}${doubt !== null && html`<p>${drawStatus('doubt', doubt)}</p>`}`
}

function sayUnreadDate(say: Say, text: string): string {
  return say(['Date illisible : {text}', 'Unreadable date: {text}'], { text })
}

function sayDayDoubt({ say, language }: Request, line: BankLine, { settlement, days }: Match): string | null {
  switch (days) {
    case null:
      return null
    case 'unread':
      return sayUnreadDate(say, line.unread_date ?? '')
    case 'before_validation':
      return say(['Avant la validation du {day}', 'Before the validation of {day}'], {
        day: writeDay(settlement.validated_at!, language),
      })
    case 'in_future':
      return say(['Une date à venir', 'A day to come'])
  }
}

function otherLines(request: Request, read: LinesRead, others: readonly MatchedLine[]): Html {
  const { say, at } = request
  const columns: Column<MatchedLine>[] = [
    {
      title: say(['Ligne', 'Line']),
      kind: 'k',
      cell: ({ line, match }) => {
        const words = say(['Ligne {n}', 'Line {n}'], { n: line.line })
        const under = line.reference ?? line.label.slice(0, 60)
        const settlement = 'settlement' in match ? match.settlement : null
        return settlement === null
          ? html`${words}<span class="sub">${under}</span>`
          : rowLink(at(`/settlements/${settlement.id}`), words, under)
      },
    },
    { title: say(['État', 'State']), kind: 's', cell: ({ match }) => drawMatch(request, match) },
    { title: say(['Pourquoi', 'Why']), kind: '', cell: ({ line, match }) => sayMatch(request, read, line, match) },
    { title: 'F CFA', kind: 'm', cell: ({ line }) => line.amount !== null && moneyCell(line.amount) },
  ]
  return list({ caption: say(['Les autres lignes', 'The other lines']), rows: others, columns })
}

const kindWords: Readonly<Record<LineMatch['kind'], readonly [StatusShape, Words]>> = {
  match: ['wait', ['Trouvé', 'Found']],
  ambiguous: ['doubt', ['À vérifier', 'To check']],
  in: ['bad', ['Revenu', 'Came back']],
  recorded: ['ok', ['Déjà inscrit', 'Entered already']],
  differs: ['bad', ['Ne correspond pas', 'Does not fit']],
  not_to_be_paid: ['bad', ['Pas à payer', 'Not to be paid']],
  none: ['off', ['Aucun reversement', 'No settlement']],
  unread: ['doubt', ['Illisible', 'Unreadable']],
}

function drawMatch({ say }: Request, { kind }: LineMatch): Html {
  const [shape, words] = kindWords[kind]
  return drawStatus(shape, say(words))
}

function sayMatch(request: Request, { merchants, names }: LinesRead, line: BankLine, match: LineMatch): Html | string {
  const { say } = request
  switch (match.kind) {
    case 'match':
      return isIndependentOf(match.settlement, request.actor.person)
        ? say(['Au tour suivant.', 'In the next turn.'])
        : say(samePerson)
    case 'ambiguous':
      return html`${line.unread_date !== null && `${sayUnreadDate(say, line.unread_date)}. `}${say(doubtWords[match.why])} ${settlementLinks(request, merchants, match.settlements)}`
    case 'in':
      return html`${say(match.settlements.every(({ status }) => status === 'paid') ? paidCameBackWords : cameBackWords)} ${settlementLinks(request, merchants, match.settlements)}`
    case 'recorded': {
      const { bank_reference } = match.settlement
      const other = bank_reference !== null && line.reference !== null && bank_reference !== line.reference
      return html`${sayStanding(request, { settlement: match.settlement, names })}${other && html` <b class="care-ink">${say(['Avec une autre référence, {reference} : vérifiez qu’il n’est pas payé deux fois.', 'With another reference, {reference}: check that it is not paid twice.'], { reference: bank_reference })}</b>`}`
    }
    case 'differs':
      return match.what === 'amount'
        ? say(['Le reversement est de {sum}.', 'The settlement is of {sum}.'], {
            sum: writeAmount(match.settlement.amount),
          })
        : say(['Ce virement est allé vers un autre compte.', 'This transfer went to another account.'])
    case 'not_to_be_paid':
      return sayStanding(request, { settlement: match.settlement, names })
    case 'none':
      return say(['Aucun reversement à payer n’y ressemble.', 'No settlement to be paid is like it.'])
    case 'unread':
      return say(faultWords[line.fault!])
  }
}

/** The pages of the settlements that a line may be about, the first five. */
function settlementLinks(
  { at }: Request,
  merchants: LinesRead['merchants'],
  settlements: readonly SettlementRow[],
): Html[] {
  return settlements
    .slice(0, 5)
    .map(
      ({ id, merchant_id }) =>
        html`<a class="over" href="${at(`/settlements/${id}`)}">${merchants.get(merchant_id) ?? id}</a> `,
    )
}

const cameBackWords: Words = [
  'De l’argent de ce virement est revenu. Voyez avec la banque avant d’inscrire quoi que ce soit :',
  'Money of this transfer came back. Ask the bank before you enter anything:',
]

const paidCameBackWords: Words = [
  'Cet argent est entré, et la ligne nomme un virement déjà inscrit comme payé. Rien n’est changé. Voyez avec la banque, puis avec le marchand :',
  'This money came in, and the line names a transfer that is entered as paid. Nothing is changed. Ask the bank, then the merchant:',
]

const doubtWords: Readonly<Record<Doubt, Words>> = {
  several: ['Inscrivez-le sur la page du bon :', 'Enter it on the page of the right one:'],
  two_lines: ['Deux lignes le paient :', 'Two lines pay it:'],
  came_back: cameBackWords,
  paid_before: [
    'Un reversement du même montant y est déjà payé, avec une référence qui n’est pas dans ce fichier. Ce virement est peut-être le sien :',
    'A settlement of the same sum is paid there already, with a reference that is not in this file. This transfer may be that one’s:',
  ],
  undated: [
    'Sans notre référence ni date, il est peut-être d’un autre mois :',
    'Without our reference and a date, it may be of another month:',
  ],
  too_early: [
    'Sans notre référence, et fait avant la validation, il est peut-être d’un autre mois :',
    'Without our reference, and made before the validation, it may be of another month:',
  ],
  cut: [
    'Il y a trop de reversements à payer pour les comparer tous. Un autre lui ressemble peut-être :',
    'There are too many settlements to be paid to compare them all. Another one may be like it:',
  ],
}

const faultWords: Readonly<Record<NonNullable<BankLine['fault']>, Words>> = {
  formula: ['Une cellule a une formule.', 'A cell has a formula.'],
  amount: ['Le montant n’est pas un nombre entier de francs.', 'The amount is no whole number of francs.'],
  direction: [
    'La ligne ne dit pas clairement si l’argent est sorti ou entré.',
    'The line does not say clearly whether the money left or came in.',
  ],
  reference: ['La référence de la banque manque.', 'The bank’s reference is missing.'],
}
