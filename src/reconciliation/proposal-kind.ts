import type { ActRefused, RefusalWords } from '../acts/act.ts'
import { type ContentOf, type Facts, francs, oneOf, text } from '../acts/facts.ts'
import type { ActProposal, ProposedAct } from '../acts/proposal.ts'
import type { Effect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Words } from '../values/language.ts'
import { kindWords } from './differences/kind-words.ts'
import { resolutionWords } from './differences/resolutions.ts'

const signed = (name: Words) => ({
  name,
  write: (value: number): Words =>
    (value < 0
      ? francs(name)
          .write(-value)
          .map((one) => `−${one}`)
      : francs(name).write(value)) as unknown as Words,
})

/** The facts that a second person reads about a proposal on an external account. Each kind fills in its own. */
export const proposalFacts = {
  account: text(['Compte', 'Account']),
  file: text(['Fichier', 'File']),
  day: text(['Jour', 'Day']),
  opening: signed(['Ouverture', 'Opening balance']),
  closing: signed(['Clôture', 'Closing balance']),
  from: text(['Du', 'From']),
  to: text(['Au', 'To']),
  rows: text(['Lignes', 'Rows']),
  balance: signed(['Solde du relevé', 'Balance of the statement']),
  books: signed(['Solde de nos livres', 'Balance of our books']),
  unexplained: signed(['Différence, à la maison', 'Difference, the house’s own']),
  difference: text(['Écart', 'Difference']),
  kind: oneOf(['Nature', 'Kind'], kindWords),
  direction: oneOf(['Sens', 'Direction'], { in: ['reçu', 'received'], out: ['parti', 'sent'] }),
  amount: francs(['Montant', 'Amount']),
  reference: text(['Numéro', 'Number']),
  resolution: oneOf(['Décision', 'Decision'], resolutionWords),
  to_merchant: text(['Marchand', 'Merchant']),
  credited: oneOf(['Solde', 'Balance'], {
    available: ['disponible', 'available'],
    transfer: ['solde d’envoi', 'payout balance'],
  }),
  other_account: text(['Autre compte', 'Other account']),
  reason: text(['Raison', 'Reason']),
} as const satisfies Facts

type Content = Partial<ContentOf<typeof proposalFacts>>

type Changes = {
  readonly effects: readonly Effect[]
  /** The values of the line in the audit log. */
  readonly after: object
}

type KindOf<Typed extends object, Beside, Code extends string> = {
  readonly act: ProposedAct
  /** Locks what ranks before proposals. */
  readonly lock?: (tx: Tx, proposal: ActProposal<Typed>) => Promise<void>
  /** Locks and reads the rest. */
  readonly load: (tx: Tx, proposal: ActProposal<Typed>) => Promise<Beside>
  readonly content: (proposal: ActProposal<Typed>, beside: Beside) => Content
  readonly approve: (
    proposal: ActProposal<Typed>,
    beside: Beside,
  ) => (Changes & { readonly row: { readonly outcome: string } }) | ActRefused<Code>
  readonly refused: (proposal: ActProposal<Typed>) => Changes
  /** The changes when the first person takes it back, or nobody decides in time. Absent: none. */
  readonly ended?: (
    proposal: ActProposal<Typed>,
    trigger: 'withdrawn_by_first_person' | 'time_ran_out',
  ) => readonly Effect[]
  readonly refusals: Readonly<Record<Code, RefusalWords>>
}

/** One kind of proposal about external accounts, all of which `reconcile approve` and `reconcile refuse` decide. */
export type ProposalKind = KindOf<object, unknown, string>

export function defineProposalKind<Typed extends object, Beside, Code extends string>(
  kind: KindOf<Typed, Beside, Code>,
): ProposalKind {
  return kind as unknown as ProposalKind
}
