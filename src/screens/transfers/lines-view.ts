import { backLink, blank, status as drawStatus, pageHead, panel, type StatusShape } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { type Column, list, moneyCell, rowLink } from '../../console/list.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { type LineMatch, type MatchedLine, settlementsOf } from '../../settlements/match-bank-lines.ts'
import type { BankLine } from '../../settlements/read-bank-lines.ts'
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
  /** Lines that are no money that left. */
  readonly left_aside: number
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
  const others = read.matched.filter((one) => !offered.includes(one as Payable))
  const title = say(['Virements de la banque', 'Transfers of the bank'])
  const aside =
    read.left_aside > 0 &&
    say([' Laissées de côté, car rien n’en sort : {n}.', ' Left aside, because no money left there: {n}.'], {
      n: read.left_aside,
    })
  const lead = html`${say(['Lignes : {n}. À inscrire : {free}.', 'Lines: {n}. To enter: {free}.'], { n: read.matched.length, free: free.length })}${aside}${free.length > offered.length && say([' Les {max} premières d’abord.', ' The first {max} first.'], { max: TRANSFERS_MAX })}`
  const main = html`${backLink(at('/settlements/transfers'), say(['Un autre fichier', 'Another file']))}${pageHead({ title, lead })}
<div class="stack">${offered.length === 0 ? panel(null, blank('bank', { title: say(['Rien à inscrire', 'Nothing to enter']) })) : offeredForm(request, read, offered)}${others.length > 0 && panel(say(['Les autres lignes', 'The other lines']), otherLines(request, read, others), { flush: true })}</div>`
  const facts = {
    lines: read.matched.map(({ line, match }) => ({ ...shownLine(line), ...shownMatch(match) })),
    left_aside: read.left_aside,
  }
  return { kind: 'view', title, main, facts }
}

/** A line for a program: of an account nothing, because the whole one stands there. */
function shownLine({ line, amount, reference, fault }: BankLine) {
  return { line, amount, reference, fault }
}

function shownMatch(match: LineMatch) {
  return { kind: match.kind, settlement_ids: settlementsOf(match).map(({ id }) => id) }
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

/** The transfers that can be entered, each ticked, and their sum. */
function offeredForm(request: Request, { merchants }: LinesRead, offered: readonly Payable[]): Html {
  const { say, at } = request
  const sum = offered.reduce((all, { match }) => all + match.settlement.amount, 0)
  const table = list<Payable>({
    caption: say(['Virements à inscrire', 'Transfers to enter']),
    rows: offered,
    columns: [
      {
        title: say(['Marchand', 'Merchant']),
        kind: 'k',
        cell: ({ line, match: { settlement } }) =>
          html`<label class="choice"><input type="checkbox" name="pay" value="${`${settlement.id} ${line.reference}`}" checked><span><b>${merchants.get(settlement.merchant_id) ?? String(settlement.merchant_id)}</b><span class="sub">${destinationName(settlement)}, ${settlement.name}</span></span></label>`,
      },
      {
        title: say(['Trouvé par', 'Found by']),
        kind: 's',
        cell: ({ match }) => drawStatus('ok', say(byWords[match.by])),
      },
      {
        title: say(['Référence', 'Reference']),
        kind: '',
        label: say(['Réf.', 'Ref.']),
        cell: ({ line }) => line.reference,
      },
      { title: say(['Ligne', 'Line']), kind: 'w', cell: ({ line }) => line.line },
      { title: 'F CFA', kind: 'm', cell: ({ match }) => moneyCell(match.settlement.amount) },
    ],
  })
  const button = html`<div class="acts"><button>${say(['Inscrire ces virements : {sum}', 'Enter these transfers: {sum}'], { sum: writeAmount(sum) })}</button></div><p class="hint">${say(['Ôtez la coche de ceux que vous n’inscrivez pas.', 'Take the tick off those that you do not enter.'])}</p>`
  return form(
    request,
    at('/settlements/transfers/record'),
    html`${panel(say(['À inscrire', 'To enter']), table, { flush: true })}${button}`,
  )
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
  ambiguous: ['doubt', ['Plusieurs possibles', 'Several possible']],
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
  const { say, at } = request
  switch (match.kind) {
    case 'match':
      return isIndependentOf(match.settlement, request.actor.person)
        ? say(['Au tour suivant.', 'In the next turn.'])
        : say(samePerson)
    case 'ambiguous': {
      const links = match.settlements
        .slice(0, 5)
        .map(
          ({ id, merchant_id }) =>
            html`<a class="over" href="${at(`/settlements/${id}`)}">${merchants.get(merchant_id) ?? id}</a> `,
        )
      return html`${match.settlements.length > 1 ? say(['Inscrivez-le sur la page du bon : ', 'Enter it on the page of the right one: ']) : say(['Deux lignes le paient : ', 'Two lines pay it: '])}${links}`
    }
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

const faultWords: Readonly<Record<NonNullable<BankLine['fault']>, Words>> = {
  formula: ['Une cellule a une formule.', 'A cell has a formula.'],
  amount: ['Le montant n’est pas un nombre entier de francs.', 'The amount is no whole number of francs.'],
  reference: ['La référence de la banque manque.', 'The bank’s reference is missing.'],
}
