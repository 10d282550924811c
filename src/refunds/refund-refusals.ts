import type { RefusalWords } from '../acts/act.ts'

/** Why a payment cannot be refunded: the words of `decideRefund`. */
export const refundRefusals = {
  payment_not_succeeded: {
    words: [
      'Ce paiement n’est pas payé : il n’y a rien à rendre.',
      'This payment is not paid: there is nothing to refund.',
    ],
    command: 'This payment has not succeeded, so there is nothing to refund.',
  },
  already_refunded: {
    words: [
      'Ce paiement est déjà rendu, ou ce qui en reste est en route.',
      'This payment is refunded already, or what is left of it is on its way.',
    ],
    command: 'This payment is refunded already, or a refund of its rest is in progress.',
  },
  amount_corrected: {
    words: [
      'Le payeur a payé une autre somme que ce paiement ne dit : rendez-la à la main, avec un ajustement.',
      'The payer paid another amount than this payment says: return it by hand, with an adjustment.',
    ],
    command: 'The payer paid another amount than that of this payment: return the money by hand, with an adjustment.',
  },
  amount_above_remaining: {
    words: [
      'Il reste {sum} à rembourser : rendez cette somme au plus.',
      '{sum} are left to refund: refund that much at most.',
    ],
    command: 'Only {francs} francs of this payment are left to refund. Give a smaller --amount.',
    at: 'amount',
  },
  insufficient_funds: {
    words: [
      'Le solde disponible du marchand ne couvre pas tout : il faudrait {sum}.',
      'The merchant’s available balance does not cover all of it: {sum} would be needed.',
    ],
    command: 'The available balance does not cover it: the refund needs {francs} francs.',
    at: 'amount',
  },
} as const satisfies Record<string, RefusalWords>
