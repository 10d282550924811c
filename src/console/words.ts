import type { StatusShape } from './components.ts'
import type { Words } from './say.ts'

export const capWords = {
  operation: ['Plafond par envoi', 'Cap of a payout'],
  day: ['Plafond de 24\u00a0h', 'Cap of 24\u00a0h'],
  payment: ['Plafond par paiement', 'Cap of a payment'],
} as const satisfies Readonly<Record<string, Words>>

/** An approved batch, which is a draft to the interface until somebody executes it. */
export const approvedToLaunch = ['wait', ['Approuvé, à lancer', 'Approved, to launch']] as const

/** The shape and the word of each status, by kind of resource. */
export const statusWords = {
  payment: {
    created: ['wait', ['Créé', 'Created']],
    pending: ['going', ['En attente', 'Waiting']],
    in_doubt: ['doubt', ['En vérification', 'Being checked']],
    succeeded: ['ok', ['Payé', 'Paid']],
    failed: ['bad', ['Échoué', 'Failed']],
    expired: ['off', ['Expiré', 'Expired']],
    refunded: ['back', ['Remboursé', 'Refunded']],
    partially_refunded: ['back', ['Remboursé en partie', 'Partly refunded']],
  },
  payout: {
    created: ['wait', ['En préparation', 'Getting ready']],
    processing: ['going', ['En cours', 'Sending']],
    succeeded: ['ok', ['Arrivé', 'Arrived']],
    failed: ['bad', ['Échoué', 'Failed']],
    indeterminate: ['doubt', ['En vérification', 'Being checked']],
  },
  request: {
    pending_approval: ['wait', ['À approuver', 'To approve']],
    approved: ['ok', ['Approuvé', 'Approved']],
    rejected: ['bad', ['Refusé', 'Declined']],
    expired: ['off', ['Expiré', 'Expired']],
  },
  batch: {
    brouillon: ['off', ['Brouillon', 'Draft']],
    en_attente_validation: ['wait', ['À approuver', 'To approve']],
    en_cours: ['going', ['En cours', 'Sending']],
    termine: ['ok', ['Terminé', 'Done']],
    termine_avec_erreurs: ['bad', ['Terminé, avec erreurs', 'Done, with errors']],
    annule: ['off', ['Annulé', 'Cancelled']],
  },
  line: {
    pending: ['wait', ['À envoyer', 'To send']],
    processing: ['going', ['En cours', 'Sending']],
    succeeded: ['ok', ['Arrivé', 'Arrived']],
    failed: ['bad', ['Échoué', 'Failed']],
    indeterminate: ['doubt', ['En vérification', 'Being checked']],
    cancelled: ['off', ['Annulé', 'Cancelled']],
  },
  settlement: {
    pending_validation: ['wait', ['À valider', 'To validate']],
    validated: ['going', ['Validé', 'Validated']],
    paid: ['ok', ['Reversé', 'Settled']],
    rejected: ['bad', ['Rejeté', 'Rejected']],
  },
  refund: {
    requested: ['wait', ['Demandé', 'Requested']],
    processing: ['going', ['En cours', 'Sending']],
    manual: ['wait', ['À rendre', 'To refund by hand']],
    succeeded: ['back', ['Rendu', 'Refunded']],
    failed: ['bad', ['Échoué', 'Failed']],
  },
  link: {
    open: ['ok', ['Ouvert', 'Open']],
    paid: ['ok', ['Payé', 'Paid']],
    closed: ['off', ['Fermé', 'Closed']],
    expired: ['off', ['Expiré', 'Expired']],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly [StatusShape, Words]>>>>
