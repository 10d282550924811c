import {
  type Fact,
  francs,
  lineField,
  merchantFact,
  optional,
  recipientFact,
  requestedBy,
  text,
} from '../acts/facts.ts'
import type { UsualCaps } from './spending-limits.ts'

/** The dependencies of an approval. @property operators_said what operators said of failed payouts like this one; absent: nobody asked */
export type ApprovalDeps = { readonly payoutCaps: UsualCaps; readonly operators_said?: object | undefined }

/** The facts of a request or a batch. Only an approval takes money. */
export const approvalFacts = {
  amount: francs(['Montant', 'Amount']),
  lines: { name: ['Paiements du lot', 'Payments of the batch'], write: (n) => [String(n), String(n)] } as Fact<number>,
  recipient: recipientFact,
  merchant: merchantFact,
  reference: text(['Pour', 'For']),
  decline_reason: text(['Raison', 'Reason']),
  fee_amount: francs(['Frais', 'Fees']),
  taken: francs(['Pris sur le solde d’envoi', 'Taken from the payout balance']),
  requested_by: requestedBy,
} as const

/** The reason of a refusal, which the maker reads. */
export const declineReason = optional(
  lineField(approvalFacts.decline_reason, {
    label: ['Si vous refusez, pourquoi', 'If you decline, why'],
    longest: 500,
    fault: [
      'Rien n’est décidé. Écrivez la raison sur une ligne de 500 signes au plus.',
      'Nothing is decided. Write the reason on one line of 500 characters at most.',
    ],
    option: { name: 'reason', says: 'the reason, which the maker reads in the console' },
  }),
)

export const approvalRefusals = {
  unchecked: {
    words: [
      'Rien n’est parti. Le dossier du marchand n’est pas encore vérifié : {max} en 24 heures au plus. La demande attend.',
      'Nothing left. The merchant’s file is not checked yet: {max} in 24 hours at most. The request waits.',
    ],
    command: 'This merchant is not checked yet: it sends {max} in 24 hours at most. The request goes on waiting.',
  },
  same_person: {
    words: [
      'Cette demande vient de vous, ou d’une personne que vous avez fait entrer depuis moins de 90 jours. Rien n’est parti, et elle attend toujours.',
      'You made this request, or let in within 90 days the person who did. Nothing left, and it still waits.',
    ],
    command:
      'The one who asked for a payout cannot decide on it, nor the one who made its key, nor whoever let these in within 90 days, and an API key never can. Name another person with --as.',
  },
} as const
