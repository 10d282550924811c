import { actFields } from '../../console/acts/act-fields.ts'
import { note, panel, shareBar, status } from '../../console/components.ts'
import { type FieldError, form, hiddenField, select } from '../../console/forms.ts'
import { list, moneyCell } from '../../console/list.ts'
import { quoted, type Say, sayWords } from '../../console/say.ts'
import type { ScreenDoor, ScreenRequest } from '../../console/screen.ts'
import { capWords } from '../../console/words.ts'
import type { PaymentUndo } from '../../merchants/store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Tenant } from '../../values/caller.ts'
import { writeFrancs } from '../../values/read-typed.ts'
import { type CapName, type CapProposal, capNamesIn } from '../caps/cap-proposal.ts'
import { type CapEffect, capEffectWords, proposeCap } from '../caps/propose-cap.ts'
import type { CapsInForce } from '../caps/read-caps.ts'

type Request = Pick<ScreenRequest<ScreenDoor>, 'say' | 'fields' | 'nonce' | 'language' | 'livemode'>

/**
 * Number of payments that succeeded in the last 30 days with more than a given sum of francs. `whole` is false when the
 * count stopped early: there were at least so many.
 */
export type PaymentsAbove = { operations: number; whole: boolean }
export type CountPaymentsAbove = (tenant: Tenant, amount: number) => Promise<PaymentsAbove>

/** The form to ask for another cap. */
export function capForm(request: Request, to: string, errors: readonly FieldError[]): Html {
  const { say, fields, livemode } = request
  const { cap, amount, reason } = proposeCap.fields
  const choices = capNamesIn(livemode).map((value) => ({ value, label: say(capWords[value]) }))
  return form(
    request,
    to,
    html`${select({ name: 'cap', label: sayWords(say, cap.form.label), value: fields.text('cap'), choices }, errors)}
${actFields(request, { amount, reason }, errors)}
<button class="wide">${say(['Continuer', 'Continue'])}</button>`,
  )
}

/** The new cap as a person signs it, in francs. */
type SignedCap = {
  readonly merchant: { readonly name: string }
  readonly cap: CapName
  readonly amount: number
  readonly cap_today: number
  readonly effect: CapEffect
}

/** Draws the question: the cap before and after, when the new one applies, and the recent payments that a lower cap would have refused. */
export async function drawCapQuestion(
  { say, tenant }: Pick<Request, 'say'> & { readonly tenant: Tenant },
  { countPaymentsAbove }: { readonly countPaymentsAbove: CountPaymentsAbove },
  content: Readonly<Record<string, unknown>>,
): Promise<Html> {
  const { merchant, cap, amount, cap_today, effect } = content as SignedCap
  const above = cap === 'payment' && amount < cap_today ? await countPaymentsAbove(tenant, amount) : null
  const when = say(capEffectWords[effect])
  const words = say(capWords[cap])
  const title = html`<h1><span class="sr">${words}${say([' : ', ': '])}</span>${drawAmount(amount)}</h1>`
  const today = say(['Aujourd’hui : {sum}.', 'Today: {sum}.'], { sum: writeAmount(cap_today) })
  const told = html`<p class="say">${merchant.name}, ${words.toLowerCase()}</p><p class="soft">${today} ${when}</p>`
  return html`${title}${told}${above !== null && note('care', null, refusesInWords(say, above))}`
}

function refusesInWords(say: Say, { operations, whole }: PaymentsAbove): string {
  const now = say([
    'Vos clients qui paient plus sont refusés tout de suite.',
    'Customers who pay more are refused at once.',
  ])
  const n = writeFrancs(operations)
  if (!whole) return `${now} ${say(aboveWords.at_least, { n })}`
  return operations === 0 ? `${now} ${say(aboveWords.none)}` : `${now} ${say(aboveWords.counted, { n })}`
}

/** How many payments of the last 30 days were above a new cap. */
const aboveWords = {
  at_least: [
    'Ces 30 derniers jours, au moins {n} paiements réussis étaient au-dessus.',
    'In the last 30 days, at least {n} successful payments were above it.',
  ],
  none: [
    'Ces 30 derniers jours, aucun paiement réussi n’était au-dessus.',
    'In the last 30 days, no successful payment was above it.',
  ],
  counted: [
    'Ces 30 derniers jours, paiements réussis au-dessus : {n}.',
    'Successful payments above it in the last 30 days: {n}.',
  ],
} as const

/** Lets an owner restore the cap of a payment after lowering it: one button, which asks for a fresh factor. */
export function undoPanel(request: Request, to: string, { amount, until }: PaymentUndo): Html {
  const { say, language } = request
  const sum = writeAmount(amount)
  const kept = Object.entries({
    cap: 'payment',
    amount,
    reason: say(['Retour au plafond d’avant', 'Restore the previous cap']),
  })
  const hidden = kept.map(([name, value]) => hiddenField(name, value))
  const before = say(
    [
      'Avant : {sum}. Vous pouvez le remettre tout de suite, jusqu’au {when}.',
      'Before: {sum}. You can set it again at once, until {when}.',
    ],
    { sum, when: writeShortDate(until, language) },
  )
  const button = html`<button class="second">${say(['Remettre {sum}', 'Set {sum} again'], { sum })}</button>`
  const again = form(request, to, html`${hidden}${button}`)
  return panel(say(['Plafond par paiement baissé', 'Cap of a payment lowered']), html`<p>${before}</p>${again}`)
}

/** Shows the caps in force, and the use of the cap of 24 hours. */
export function capUse(
  { say }: Pick<Request, 'say'>,
  { operation, day, payment, used }: CapsInForce & { used: number },
): Html {
  const share = Math.min(100, (used / day) * 100)
  const bar = shareBar(share.toFixed(1), {
    label: say(['{n} pour cent utilisés', '{n} percent used'], { n: Math.floor(share) }),
    care: used > day,
  })
  const part = (cap: Html, hint: string) => html`<div>${cap}<p class="hint">${hint}</p></div>`
  const perPayout = html`<p>${say(['Par envoi :', 'Per payout:'])} <b>${writeAmount(operation)}</b></p>`
  const taken = html`<b>${writeAmount(used)}</b> ${say(['pris sur', 'used of'])} ${writeAmount(day)}`
  const perDay = html`<p>${say(['Sur 24\u00a0h :', 'Within 24\u00a0h:'])} ${taken}</p>${bar}`
  const perPayment = html`<p>${say(['Par paiement :', 'Per payment:'])} <b>${writeAmount(payment)}</b></p>`
  const refused = say([
    'Au-dessus, le paiement est refusé. Ce plafond vaut en réel et en test, et se change en mode réel.',
    'Above it, a payment is refused. It holds in live and test mode, and is changed in live mode.',
  ])
  return html`<div class="stack">${part(perPayout, say(['Au-dessus, il faut une approbation.', 'Above it, approval is needed.']))}
${part(perDay, say(['Demandes et lots en attente compris.', 'Includes requests and batches that wait.']))}
${part(perPayment, refused)}</div>`
}

const standings = {
  proposed: ['wait', ['À confirmer', 'To confirm']],
  approved: ['ok', ['Confirmé', 'Confirmed']],
  refused: ['bad', ['Refusé', 'Declined']],
  superseded: ['off', ['Remplacé', 'Superseded']],
  lapsed: ['off', ['Éteint sans décision', 'Lapsed without a decision']],
} as const

export function capStanding({ status: standing }: Pick<CapProposal, 'status'>, say: Say): Html {
  const [shape, words] = standings[standing]
  return status(shape, say(words))
}

/** The proposals for higher caps, newest first. */
export function proposalList(
  { say, language }: Pick<Request, 'say' | 'language'>,
  proposals: readonly CapProposal[],
): Html {
  return list<CapProposal>({
    caption: say(['Demandes', 'Requests']),
    rows: proposals,
    columns: [
      {
        title: say(['Plafond', 'Cap']),
        kind: 'k',
        cell: ({ cap, reason, refusal_reason }) => {
          const declined =
            refusal_reason !== null && say(['Refusé : {reason}', 'Declined: {reason}'], { reason: refusal_reason })
          const sub = [say(quoted, { text: reason }), declined].map(
            (text) => text !== false && html`<span class="sub">${text}</span>`,
          )
          return html`${say(capWords[cap])}${sub}`
        },
      },
      { title: say(['État', 'State']), kind: 's', cell: (proposal) => capStanding(proposal, say) },
      {
        title: say(['Demandé', 'Requested']),
        kind: 't',
        cell: ({ proposed_at }) => writeShortDate(proposed_at, language),
      },
      { title: 'F CFA', kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
}
