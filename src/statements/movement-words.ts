import type { MovementType } from './movement.ts'

/** The name of each type of movement in French and English, for the screen and the PDF. */
export const movementWords: Readonly<Record<MovementType, readonly [fr: string, en: string]>> = {
  collection: ['Paiement reçu', 'Payment received'],
  refund: ['Remboursement', 'Refund'],
  refund_returned: ['Remboursement revenu', 'Refund come back'],
  settlement: ['Reversement demandé', 'Settlement asked for'],
  settlement_returned: ['Reversement revenu', 'Settlement come back'],
  transfer: ['Vers le solde d’envoi', 'To the payout balance'],
  adjustment: ['Correction', 'Adjustment'],
}
