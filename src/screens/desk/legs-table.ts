import { miniTable } from '../../console/components.ts'
import type { Say, Words } from '../../console/say.ts'
import { BANK } from '../../external-accounts/external-account.ts'
import { heldCode, heldIn } from '../../ledger/accounts.ts'
import type { Leg } from '../../ledger/postings.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'

const accountWords: Readonly<Record<string, Words>> = {
  available: ['Solde disponible', 'Available balance'],
  transfer: ['Solde d’envoi', 'Payout balance'],
  payouts_in_flight: ['Envois en cours', 'Payouts under way'],
  settlements_in_flight: ['Reversements en cours', 'Settlements under way'],
  fees: ['Nos frais', 'Our fees'],
  operator_charges: ['Frais des opérateurs', 'Operators’ charges'],
  [heldIn(BANK)]: ['Banque', 'Bank'],
}

/** Writes the desk's name of an account of the ledger. */
function accountWord(account: string, say: Say): string {
  const words = accountWords[account]
  return words === undefined ? (heldCode(account) ?? account) : say(words)
}

/** The table of future entries, with a line for each account. */
export function legsTable(legs: readonly Leg[], say: Say): Html {
  const cell = (amount: number) => html`<td class="n">${amount > 0 && writeAmount(amount).split('\u00a0')[0]!}</td>`
  const lines = legs.map(
    ({ account, amount }) => html`<tr><td>${accountWord(account, say)}</td>${cell(-amount)}${cell(amount)}</tr>`,
  )
  const numbers = [say(['Débit', 'Debit']), say(['Crédit', 'Credit'])]
  return miniTable({ texts: [say(['Compte', 'Account'])], numbers }, lines)
}
