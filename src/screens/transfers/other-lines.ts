import { status as drawStatus, type StatusShape } from '../../console/components.ts'
import { type Column, list, moneyCell, rowLink } from '../../console/list.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Doubt, LineMatch, MatchedLine } from '../../settlements/bank/line-match.ts'
import type { BankLine } from '../../settlements/bank/read-lines.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { samePerson, sayStanding } from '../desk/settlement-standing.ts'
import { isIndependentOf, type LinesRead, sayUnreadDate } from './lines-read.ts'

type Request = ScreenRequest<'desk'>

/** The lines that cannot be entered now, each with its reason and a link to its settlement. */
export function otherLines(request: Request, read: LinesRead, others: readonly MatchedLine[]): Html {
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

const otherWords = {
  reference: [
    'Avec une autre référence, {reference} : vérifiez qu’il n’est pas payé deux fois.',
    'With another reference, {reference}: check that it is not paid twice.',
  ],
  day: [
    'Un autre jour, le {day} : vérifiez qu’il n’est pas payé deux fois.',
    'On another day, {day}: check that it is not paid twice.',
  ],
} as const satisfies Record<string, Words>

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

function drawMatch({ say }: Request, match: LineMatch): Html {
  const mayBeSecond = match.kind === 'recorded' && match.other !== null
  const [shape, words] = kindWords[mayBeSecond ? 'ambiguous' : match.kind]
  return drawStatus(shape, say(words))
}

function sayMatch(
  request: Request,
  { merchants, names, reader }: LinesRead,
  line: BankLine,
  match: LineMatch,
): Html | string {
  const { say } = request
  switch (match.kind) {
    case 'match':
      return isIndependentOf(match.settlement, reader)
        ? say(['Au tour suivant.', 'In the next turn.'])
        : say(samePerson)
    case 'ambiguous': {
      const unread = line.unread_date !== null && `${sayUnreadDate(say, line.unread_date)}. `
      return html`${unread}${say(doubtWords[match.why])} ${settlementLinks(request, merchants, match.settlements)}`
    }
    case 'in': {
      const words = match.settlements.every(({ status }) => status === 'paid') ? paidCameBackWords : cameBackWords
      return html`${say(words)} ${settlementLinks(request, merchants, match.settlements)}`
    }
    case 'recorded': {
      const { bank_reference, booking_date } = match.settlement
      const told = { reference: bank_reference ?? '', day: booking_date ?? '' }
      const other = match.other !== null && html` <b class="care-ink">${say(otherWords[match.other], told)}</b>`
      return html`${sayStanding(request, match.settlement, names)}${other}`
    }
    case 'differs':
      return match.what === 'amount'
        ? say(['Le reversement est de {sum}.', 'The settlement is of {sum}.'], {
            sum: writeAmount(match.settlement.amount),
          })
        : say(['Ce virement est allé vers un autre compte.', 'This transfer went to another account.'])
    case 'not_to_be_paid':
      return sayStanding(request, match.settlement, names)
    case 'none':
      return say(['Aucun reversement à payer ne lui correspond.', 'It matches no settlement to be paid.'])
    case 'unread':
      return say(faultWords[line.fault!])
  }
}

/** Links to the first five settlements that a line may be about. */
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
  amount: ['Le montant n’est pas un nombre entier de francs.', 'The amount is not a whole number of francs.'],
  direction: [
    'La ligne ne dit pas clairement si l’argent est sorti ou entré.',
    'The line does not say clearly whether the money left or came in.',
  ],
  reference: ['La référence de la banque manque.', 'The bank’s reference is missing.'],
  abbreviated: [
    'Un tableur a abrégé la référence (comme 2,61101E+11) et des chiffres sont perdus. Prenez le fichier de la banque tel quel.',
    'A spreadsheet shortened the reference (as 2.61101E+11) and digits are lost. Take the file of the bank as it is.',
  ],
}
