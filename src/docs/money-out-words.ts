import type { Explained } from './explained.ts'

const again: Explained['todo'] = [
  'Renvoyez la même demande avec la même clé d’idempotence. **Ne changez pas de clé** : c’est elle qui empêche de payer deux fois.',
  'Send the same request again with the same idempotency key. **Do not change the key**: it prevents a second payment.',
]

/** The codes of requests by which money leaves: payouts, batches, the book, settlements and statements. */
export const moneyOutWords = {
  insufficient_funds: {
    happened: [
      'Le solde d’envoi (`transfer`) ne couvre pas le montant et ses frais. L’argent encaissé est sur un autre solde (`available`).',
      'The transfer balance (`transfer`) does not cover the amount and its fee. Collected money is on another balance (`available`).',
    ],
    money: 'no',
    todo: [
      'Faites passer de l’argent du solde disponible au solde d’envoi, dans la console, puis renvoyez avec la même clé. `GET /x/balances` montre les quatre soldes.',
      'Move money from the available balance to the transfer balance, in the console, then send again with the same key. `GET /x/balances` shows the four balances.',
    ],
  },
  invalid_beneficiary: {
    happened: [
      'La destination ne se lit pas : numéro illisible, nom de moins de deux caractères, ou `beneficiary_id` et `beneficiary` ensemble.',
      'The destination cannot be read: an unreadable number, a name of fewer than two characters, or `beneficiary_id` and `beneficiary` together.',
    ],
    money: 'no',
    todo: [
      'Envoyez soit `beneficiary_id`, soit `beneficiary` avec `msisdn` et `name`. Dans un lot, le message commence par le rang de la ligne.',
      'Send either `beneficiary_id`, or `beneficiary` with `msisdn` and `name`. In a batch the message begins with the rank of the line.',
    ],
  },
  payout_failed: {
    happened: ['Le service a eu une panne en créant l’envoi.', 'The service failed while it created the payout.'],
    money: 'unknown',
    todo: again,
  },
  payout_not_cancellable: {
    happened: [
      'L’envoi est déjà chez l’opérateur, ou il est terminé.',
      'The payout has been sent to its operator, or has ended.',
    ],
    money: 'elsewhere',
    todo: [
      'Lisez-le et attendez sa fin. Ne payez pas une seconde fois tant qu’il est `processing` ou `indeterminate`.',
      'Read it and wait for its end. Do not pay a second time while it is `processing` or `indeterminate`.',
    ],
  },
  invalid_lines: {
    happened: [
      '`lines` n’est pas un tableau de 1 à 500 objets avec un montant et une destination.',
      '`lines` is no array of 1 to 500 objects, each with an amount and a destination.',
    ],
    money: 'no',
    todo: [
      'Corrigez, et renvoyez le lot entier : une seule ligne fausse le refuse, et rien n’est gardé.',
      'Correct it, and send the whole batch again: one wrong line refuses it, and nothing is kept.',
    ],
  },
  too_many_lines: {
    happened: ['Le lot a plus de 500 lignes.', 'The batch has more than 500 lines.'],
    money: 'no',
    todo: ['Faites plusieurs lots, chacun avec sa clé.', 'Make several batches, each with a key of its own.'],
  },
  batch_pending_approval: {
    happened: [
      'Le lot dépasse le plafond de 24 heures et attend l’accord d’une personne.',
      'The batch is above the cap of 24 hours and waits for a person’s approval.',
    ],
    money: 'no',
    todo: [
      'Une personne l’approuve dans la console ; il redevient `brouillon`, et vous l’exécutez. Aucune clé d’API ne peut approuver.',
      'A person approves it in the console; it becomes `brouillon`, and you execute it. No API key can approve.',
    ],
  },
  batch_not_executable: {
    happened: ['Le lot est déjà exécuté ou annulé.', 'The batch was executed or cancelled already.'],
    money: 'elsewhere',
    todo: [
      'Lisez-le : c’est souvent votre premier appel, dont la réponse s’est perdue. Ne refaites un lot que des lignes `failed`, jamais des lignes `indeterminate`.',
      'Read it: it is often your first call, whose answer was lost. Put only `failed` lines into a new batch, never `indeterminate` ones.',
    ],
  },
  batch_not_cancellable: {
    happened: [
      'Aucun lot de ce nom ne peut être annulé : il est inconnu, ou déjà parti.',
      'No batch of this name can be cancelled: it is unknown, or has left.',
    ],
    money: 'elsewhere',
    todo: [
      'Lisez le lot. Les lignes parties ne reviennent pas.',
      'Read the batch. Lines that have left do not come back.',
    ],
  },
  destination_introuvable: {
    happened: [
      'Cette destination de reversement n’est pas dans votre carnet, ou elle est archivée ou de l’autre mode.',
      'This destination is not in your book, or is archived or of the other mode.',
    ],
    money: 'no',
    todo: [
      'Prenez l’identifiant de la destination désignée, dans la console ou par `GET /v1-beneficiaries`.',
      'Take the id of the designated destination, from the console or `GET /v1-beneficiaries`.',
    ],
  },
  destination_non_designee: {
    happened: [
      'La destination est dans le carnet, mais ce n’est pas la destination désignée des reversements.',
      'The destination is in the book, but is not the designated destination of settlements.',
    ],
    money: 'no',
    todo: [
      'Deux personnes de votre équipe la désignent dans la console. Il n’y en a qu’une à la fois.',
      'Two people of your team designate it in the console. There is one at a time.',
    ],
  },
  destination_trop_recente: {
    happened: [
      'La destination a été désignée il y a moins de 24 heures. Ce délai laisse le temps d’arrêter un voleur.',
      'The destination was designated less than 24 hours ago. The delay leaves time to stop a thief.',
    ],
    money: 'no',
    todo: ['Attendez l’heure que le message nomme.', 'Wait for the time that the message names.'],
  },
  sous_le_plancher: {
    happened: ['Le montant est sous le reversement minimum.', 'The amount is below the smallest settlement.'],
    money: 'no',
    todo: [
      'Le message nomme le minimum. Demandez davantage, ou attendez.',
      'The message names the minimum. Ask for more, or wait.',
    ],
  },
  montant_non_eligible: {
    happened: [
      'Le solde disponible est plus petit. Le solde d’envoi et les reversements en cours ne comptent pas.',
      'The available balance is smaller. The transfer balance and pending settlements do not count.',
    ],
    money: 'no',
    todo: ['Lisez `available` dans `GET /x/balances`.', 'Read `available` in `GET /x/balances`.'],
  },
  settlement_failed: {
    happened: [
      'Le service a eu une panne en créant le reversement.',
      'The service failed while it created the settlement.',
    ],
    money: 'unknown',
    todo: again,
  },
  statement_failed: {
    happened: ['Le service a eu une panne en lisant le relevé.', 'The service failed while it read the statement.'],
    money: 'reading',
    todo: ['Renvoyez la demande.', 'Send the request again.'],
  },
} as const satisfies Record<string, Explained>
