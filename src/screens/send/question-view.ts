import { differs, note, operatorName, rows } from '../../console/components.ts'
import { quoted } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import type { RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import type { NameMatch } from '../../operators/port.ts'
import type { HeldAbove } from '../../payouts/make-payout.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { OperatorCode } from '../../values/operators.ts'
import { operatorNames } from '../../values/operators.ts'
import type { Usual } from '../approvals/differences.ts'
import { writeDecimal, writeWholeNumber } from '../approvals/words.ts'
import { failedPart } from '../ask-first.ts'
import type { RepeatedIn } from '../batches/read-repeated.ts'
import { operationLink } from '../batches/repeated-view.ts'
import { type StopOf, stopNotes } from '../stop-note.ts'

type Request = ScreenRequest<'console'>

/** The signed content of a payout. */
export type Signed = {
  readonly amount: number
  readonly recipient: { readonly name: string | null; readonly operator: OperatorCode | null }
  readonly msisdn: string
  readonly reference: string | null
  readonly fee_amount: number
  readonly taken: number
  /** The cap above which it waits for another person. Null: it is sent at once. */
  readonly cap: HeldAbove | null
}

/** The facts beside it, as of the question. Amounts are in francs. */
export type QuestionFacts = {
  readonly last_sent_at: Date | null
  /** The operations with the same number and amount. */
  readonly alike: readonly RepeatedIn[]
  readonly usual: Usual | null
  /** The largest of this many last payouts, if this one is larger. */
  readonly largest: { readonly amount: number; readonly of: number } | null
  readonly name_check: NameMatch | null
  /** The transfer balance before. */
  readonly transfer: number
  readonly used: number
  readonly cap_day: number
  readonly asked: readonly RefusedOrder[]
  /** The stop of the company that would hold it. Null: none. */
  readonly stop: StopOf | null
  /** Whether the operator cannot be reached now. */
  readonly is_down: boolean
}

/** Above a cap another person approves first. */
function waitsNote({ say }: Request, { reason, cap }: HeldAbove): Html {
  const title = say(['Une autre personne valide d’abord', 'Another person approves first'])
  const sum = { cap: writeAmount(cap) }
  const above =
    reason === 'plafond_24h'
      ? say(
          ['Avec ce qui est parti en 24 h, c’est au-dessus de {cap}.', 'With what left in 24 h it is above {cap}.'],
          sum,
        )
      : say(['C’est au-dessus de {cap}.', 'It is above {cap}.'], sum)
  const nothing = say([
    'Rien ne part, et l’argent n’est pas pris, avant son accord.',
    'Nothing leaves, and no money is taken, before they agree.',
  ])
  return note('care', title, `${above} ${nothing}`)
}

/** Draws the content that a person agrees to: the amount, the recipient with the whole number, what is unusual, the fee, and the balance after. */
export function drawQuestion(request: Request, signed: Signed, facts: QuestionFacts): Html {
  const { say } = request
  const { amount, recipient, msisdn, reference, fee_amount, taken, cap } = signed
  const purpose = reference !== null && html` · ${reference}`
  const after = facts.transfer - taken
  const named = recipient.name !== null && html`<b>${recipient.name}</b>, `
  const waits = cap !== null && waitsNote(request, cap)
  const used = writeAmount(facts.used + amount)
  return html`<h1><span class="sr">${say(['Envoyer ', 'Send '])}</span>${drawAmount(amount)}</h1>
<p class="say">${say(['à', 'to'])} ${named}<b class="n">${writeWholeNumber(msisdn)}</b></p>
<p>${operatorName(recipient.operator)}${purpose}</p>
${operatorNote(request, recipient, facts)}${waits}${failedPart(say, facts.asked)}
<h2 class="gap">${say(['Ce qui sort de l’habitude', 'What is unusual'])}</h2>${differs(unusual(request, signed, facts))}
${rows([
  { name: say(['Frais', 'Fees']), value: writeAmount(fee_amount) },
  {
    name: cap === null ? say(['En tout', 'In all']) : say(['Sera pris', 'Will be taken']),
    value: writeAmount(taken),
    all: true,
  },
  after >= 0 && { name: say(['Argent pour vos envois, après', 'Money for payouts, after']), value: writeAmount(after) },
  {
    name: say(['Limite de 24 h, après', 'Limit of 24 h, after']),
    value: say(['{used} sur {cap}', '{used} of {cap}'], { used, cap: writeAmount(facts.cap_day) }),
  },
])}`
}

/** That it would wait, because payouts are stopped or the operator is down. */
function operatorNote(request: Request, { operator }: Signed['recipient'], { stop, is_down }: QuestionFacts): Html {
  if (stop !== null) return stopNotes(request, [stop])
  if (!is_down || operator === null) return html``
  const { say } = request
  const title = say(['{operator} ne répond pas en ce moment', '{operator} does not answer now'], {
    operator: operatorNames[operator],
  })
  const text = say([
    'L’argent est mis de côté, et l’envoi part dès qu’il répond. Ne le refaites pas.',
    'The money is set aside, and the payout leaves as soon as it answers. Do not send it again.',
  ])
  return note('care', title, text)
}

function unusual(
  request: Request,
  { recipient }: Signed,
  { last_sent_at, alike, usual, largest, name_check }: QuestionFacts,
): { same: boolean; text: Piece }[] {
  const { say, language } = request
  const first =
    last_sent_at === null
      ? { same: false, text: html`<b>${say(['Premier envoi à ce numéro.', 'First payout to this number.'])}</b>` }
      : {
          same: true,
          text: say(['Dernier envoi à ce numéro : {when}.', 'Last payout to this number: {when}.'], {
            when: writeShortDate(last_sent_at, language),
          }),
        }
  const named = alike.slice(0, 3).map((one, at) => html`${at > 0 && ', '}${operationLink(request, one, false)}`)
  const same = say(['Même montant, même numéro :', 'Same amount, same number:'])
  const doubled =
    alike.length === 0
      ? {
          same: true,
          text: say([
            'Aucun envoi de ce montant à ce numéro depuis 35 jours.',
            'No payout of this amount to this number for 35 days.',
          ]),
        }
      : {
          same: false,
          text: html`<b>${say(['Peut-être en double.', 'Perhaps a duplicate.'])}</b> ${same} ${named}.`,
        }
  return [first, doubled, ...sizeOf(request, usual, largest), ...nameOf(request, recipient, name_check)]
}

function sizeOf({ say }: Request, usual: Usual | null, largest: QuestionFacts['largest']) {
  if (largest !== null) {
    const words = say(['Plus que vos {n} derniers envois.', 'More than your last {n} payouts.'], { n: largest.of })
    const most = say(['Le plus grand : {sum}.', 'The largest: {sum}.'], { sum: writeAmount(largest.amount) })
    return [{ same: false, text: html`<b>${words}</b> ${most}` }]
  }
  if (usual === null || !usual.unusual) return []
  const times = say(['{times} fois la moyenne', '{times} times the mean'], { times: writeDecimal(say, usual.times) })
  const mean = say(['de vos {n} derniers envois ({mean}).', 'of your last {n} payouts ({mean}).'], {
    ...{ n: usual.payouts, mean: writeAmount(usual.mean) },
  })
  return [{ same: false, text: html`<b>${times}</b> ${mean}` }]
}

/** The operator's answer about the name, without the holder's name. */
function nameOf({ say }: Request, { name, operator }: Signed['recipient'], answer: NameMatch | null) {
  if (answer === null || answer === 'unknown' || operator === null || name === null) return []
  const fillings = { operator: operatorNames[operator], name: say(quoted, { text: name }) }
  if (answer === 'match') {
    const text = say(['Nom chez {operator} : le même que {name}.', 'Name at {operator}: the same as {name}.'], fillings)
    return [{ same: true, text }]
  }
  const text =
    answer === 'close'
      ? say(
          ['Nom chez {operator} : proche de {name}, sans plus.', 'Name at {operator}: only close to {name}.'],
          fillings,
        )
      : say(['Nom chez {operator} : un autre que {name}.', 'Name at {operator}: another than {name}.'], fillings)
  return [{ same: false, text: html`<b>${text}</b>` }]
}
