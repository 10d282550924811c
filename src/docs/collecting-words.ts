import type { ErrorCode } from '../values/error-codes.ts'
import type { Explained } from './explained.ts'

const again: Explained['todo'] = [
  'Renvoyez la même demande avec la même clé d’idempotence, d’abord après une seconde, puis de plus en plus tard. Si cela dure plus de quelques minutes, écrivez au support avec la valeur de `Service-Request-Id`.',
  'Send the same request again with the same idempotency key, first after a second, then later and later. If it goes on for more than a few minutes, write to support with the value of `Service-Request-Id`.',
]

/** The codes of requests that collect: payments, sessions, links. */
export const collectingWords = {
  amount_above_limit: {
    happened: [
      'Le montant dépasse la limite d’un paiement, ou du jour tant que votre dossier n’est pas vérifié.',
      'The amount is above the limit for one payment, or for the day until your file is checked.',
    ],
    money: 'no',
    todo: [
      'Lisez votre limite dans `GET /x/operators` (`amount_max`). Le service peut la relever : écrivez au support. Ne partagez pas l’achat en plusieurs paiements : l’un d’eux peut échouer.',
      'Read your limit in `GET /x/operators` (`amount_max`). The service can raise it: write to support. Do not split the purchase into several payments: one of them may fail.',
    ],
  },
  duplicate_reference: {
    happened: [
      'Un paiement de ce mode a déjà cette `merchant_reference`.',
      'A payment of this mode already has this `merchant_reference`.',
    ],
    money: 'elsewhere',
    todo: [
      '**C’est souvent un premier appel dont la réponse s’est perdue.** Lisez ce paiement par `GET /x/payments?reference=…`. Pour une nouvelle tentative du client, prenez une référence comme `CMD-417-2`.',
      '**It is often a first call whose answer was lost.** Read that payment with `GET /x/payments?reference=…`. For a new attempt of the customer, take a reference such as `CMD-417-2`.',
    ],
  },
  payment_creation_failed: {
    happened: ['Le service a eu une panne en créant le paiement.', 'The service failed while it created the payment.'],
    money: 'unknown',
    todo: again,
  },
  payment_failed: {
    happened: ['Le service a eu une panne.', 'The service failed.'],
    money: 'unknown',
    todo: again,
  },
  checkout_creation_failed: {
    happened: ['Le service a eu une panne en créant la session.', 'The service failed while it created the session.'],
    money: 'no',
    todo: again,
  },
  payment_not_cancellable: {
    happened: [
      'Le paiement est déjà parti chez l’opérateur, ou il est terminé.',
      'The payment has been sent to its operator, or has ended.',
    ],
    money: 'elsewhere',
    todo: [
      'Lisez-le. S’il est `pending`, le client peut encore l’approuver : attendez la fin.',
      'Read it. While it is `pending`, the customer can still approve it: wait for its end.',
    ],
  },
  payment_code_not_expected: {
    happened: ['Ce paiement n’attend pas de code.', 'This payment waits for no code.'],
    money: 'elsewhere',
    todo: [
      'Lisez-le : `next_action` dit ce que le client doit faire, `status` comment c’est fini.',
      'Read it: `next_action` says what the customer has to do, `status` how it ended.',
    ],
  },
  session_expired: {
    happened: ['Le temps de cette page de paiement est passé.', 'The time of this payment page is over.'],
    money: 'elsewhere',
    todo: [
      'Créez une nouvelle session. Une approbation tardive peut encore payer l’ancienne : l’événement `checkout_session.paid` le dira.',
      'Create a new session. A late approval can still pay the old one: the event `checkout_session.paid` will say so.',
    ],
  },
  session_closed: {
    happened: ['Cette session est déjà payée ou fermée.', 'This session is already paid or closed.'],
    money: 'elsewhere',
    todo: [
      'Regardez si elle est payée avant d’en créer une autre.',
      'See whether it is paid before you create another one.',
    ],
  },
  lien_indisponible: {
    happened: [
      'Le lien est fermé, expiré, payé, ou quelqu’un est en train de le payer.',
      'The link is closed, expired, paid, or somebody is paying it.',
    ],
    money: 'elsewhere',
    todo: [
      'Lisez le lien par `GET /x/links/<id>`. Pour un autre paiement, faites un autre lien.',
      'Read the link with `GET /x/links/<id>`. For another payment, make another link.',
    ],
  },
  link_not_closable: {
    happened: ['Le lien est déjà payé ou fermé.', 'The link is already paid or closed.'],
    money: 'elsewhere',
    todo: ['Lisez le lien : il n’y a rien à fermer.', 'Read the link: there is nothing to close.'],
  },
  amount_too_small: {
    happened: ['Le montant est sous le minimum du lien.', 'The amount is below the least of the link.'],
    money: 'no',
    todo: [
      'Demandez un montant entre `min_amount` et `max_amount`.',
      'Ask for an amount between `min_amount` and `max_amount`.',
    ],
  },
  amount_too_large: {
    happened: ['Le montant est au-dessus du maximum du lien.', 'The amount is above the most of the link.'],
    money: 'no',
    todo: [
      'Demandez un montant entre `min_amount` et `max_amount`.',
      'Ask for an amount between `min_amount` and `max_amount`.',
    ],
  },
  bornes_illisibles: {
    happened: [
      'Les bornes du lien ne se lisent pas : une panne du service.',
      'The bounds of the link cannot be read: a fault of the service.',
    ],
    money: 'no',
    todo: ['Prévenez le support, et faites un nouveau lien.', 'Tell support, and make a new link.'],
  },
} as const satisfies Partial<Record<ErrorCode, Explained>>
