import { differs, note, operatorName, type Row } from '../../console/components.ts'
import { field, nonceField } from '../../console/forms.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { isOperatorCode, type OperatorCode } from '../../values/operators.ts'
import type { CapUse, Funds } from './differences.ts'
import type { Names, Reader } from './words.ts'

// The common parts of the pages of a request and of a batch.

export type ApprovalRequest = ScreenRequest<'console'>

/** Returns the reader of a page, for words about people. */
export function readerOf({ say, actor }: ApprovalRequest, names: Names): Reader {
  return { say, names, me: actor.person }
}

/** The reason of a refusal, in words for the person who acted. */
export type Refused = { readonly title: string; readonly text: Piece }

/** The most characters of the reason of a refusal. */
export const DECLINE_REASON_MAX = 500

/** The two buttons of a decision, always within reach of the thumb, and above them the field for the reason of a refusal. */
export function decideForm(request: ApprovalRequest, id: string): Html {
  const { say, at, nonce, fields } = request
  const path = (act: string) => at(`/approvals/${id}/${act}`)
  const reason = field({
    name: 'decline_reason',
    label: say(['Si vous refusez, pourquoi', 'If you decline, why']),
    hint: say(['Facultatif. La personne qui a demandé le lit.', 'Optional. The person who asked reads it.']),
    value: fields.text('decline_reason'),
    more: { form: 'decide', maxlength: String(DECLINE_REASON_MAX), autocomplete: 'off' },
  })
  const refuse = html`<button class="stop" formaction="${path('reject')}">${say(['Refuser', 'Decline'])}</button>`
  const buttons = html`${nonceField(nonce)}${refuse}<button>${say(['Approuver', 'Approve'])}</button>`
  return html`<section>${reason}</section><form method="post" action="${path('approve')}" class="decide" id="decide">${buttons}</form>`
}

/** Returns why this person cannot decide. Null when they can. */
export function whyNot(
  { say, can, session, tenant }: ApprovalRequest,
  independent: boolean,
): { title: string; text: string } | null {
  if (!independent) {
    return {
      title: say(['Une autre personne décide', 'Somebody else decides']),
      text: say([
        'Cette demande vient de vous, ou d’une personne que vous avez fait entrer depuis moins de 90 jours. Pour que l’argent parte, une autre personne qui peut approuver la confirme.',
        'You made this request, or let in within 90 days the person who did. For the money to leave, somebody else who may approve confirms it.',
      ]),
    }
  }
  // A staff member who visits.
  if (!session.memberships.some(({ merchant_id }) => merchant_id === tenant.merchant_id)) {
    return {
      title: say(['Une autre personne décide', 'Somebody else decides']),
      text: say(['Seules les personnes du marchand décident.', 'Only the people of the merchant decide.']),
    }
  }
  if (!can('payouts.approve')) {
    return {
      title: say(['Vous ne pouvez pas décider', 'You cannot decide']),
      text: say([
        'Il faut le rôle de propriétaire ou d’approbateur. Un propriétaire peut vous le donner.',
        'You need the role of owner or approver. An owner can give it to you.',
      ]),
    }
  }
  return null
}

/** The note of a refusal, or nothing. */
export function refusedNote(refused: Refused | null): Html {
  return html`${refused && html`<div role="alert">${note('bad', refused.title, refused.text)}</div>`}`
}

/** The facts about money. Those that the approval changes come last. */
export function moneyRows(
  { say }: Pick<ApprovalRequest, 'say'>,
  { fee_amount, funds, cap }: { fee_amount: number; funds: Funds; cap: CapUse },
): Row[] {
  return [
    { name: say(['Frais', 'Fees']), value: writeAmount(fee_amount) },
    {
      name: say(['Pris sur le solde d’envoi', 'Taken from the payout balance']),
      value: writeAmount(funds.taken),
      all: true,
    },
    {
      name: say(['Solde d’envoi après', 'Payout balance after']),
      value:
        funds.missing > 0
          ? html`<b class="bad-ink">${say(['il manque {sum}', '{sum} is missing'], { sum: writeAmount(funds.missing) })}</b>`
          : writeAmount(funds.after),
    },
    {
      name: say(['Plafond de 24 h après', 'Cap of 24 h after']),
      value: say(['{used} sur {cap}', '{used} of {cap}'], { used: writeAmount(cap.used), cap: writeAmount(cap.cap) }),
    },
  ]
}

/**
 * Warns before a confirmation that the balance does not cover the payout. In a batch the uncovered lines will fail.
 * @param kind `approved`: a request that one person approved a day ahead
 */
export function fundsNote(
  { say }: Pick<ApprovalRequest, 'say'>,
  { transfer, missing }: Funds,
  kind: 'request' | 'approved' | 'batch',
): Html {
  if (missing === 0) return html``
  const sums = { transfer: writeAmount(transfer), missing: writeAmount(missing) }
  const have = say(
    [
      'Le solde d’envoi est de {transfer}. Il manque {missing}.',
      'The payout balance is {transfer}. {missing} is missing.',
    ],
    sums,
  )
  return note('care', say(['Le solde ne suffit pas', 'The balance is too low']), `${have} ${say(fundsWords[kind])}`)
}

const fundsWords = {
  request: [
    'La demande attend : approuvez-la quand le solde suffit.',
    'The request waits: approve it once the balance covers it.',
  ],
  approved: [
    'Il faut que le solde suffise pour que l’accord prenne effet.',
    'The approval takes effect once the balance covers it.',
  ],
  batch: [
    'Les lignes que le solde ne couvre pas échouent quand le lot est lancé.',
    'Lines that the balance does not cover fail when the batch is executed.',
  ],
} as const

/** The section of unusual facts. */
export function differsSection(
  { say }: Pick<ApprovalRequest, 'say'>,
  items: readonly ({ same: boolean; text: Piece } | null)[],
  more: Piece = null,
): Html {
  const known = items.filter((item) => item !== null)
  const title = html`<h2 id="dif">${say(['Ce qui sort de l’habitude', 'What is unusual'])}</h2>`
  return html`<section aria-labelledby="dif">${title}${differs(known)}${more}</section>`
}

/** Why this person cannot decide, in the place of the decision. */
export function blockedNote({ title, text }: { readonly title: string; readonly text: Piece }): Html {
  return html`<div class="note care"><h2>${title}</h2><p>${text}</p></div>`
}

/** Returns a known operator. Null for any other text, or none. */
export function operatorOf(code: string | null): OperatorCode | null {
  return code !== null && isOperatorCode(code) ? code : null
}

/** An operator by name, or the mark of an unknown one. */
export function operatorPiece(code: string | null): Html {
  return operatorName(operatorOf(code))
}
