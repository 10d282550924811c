import { choiceField, type Field, merchantField, optional, reasonField, sumField } from '../../acts/facts.ts'
import type { LineRow } from '../../statement-files/import/line-store.ts'
import { accountField } from '../account-fields.ts'
import { proposalFacts } from '../proposal-kind.ts'
import type { DifferenceRow } from './difference.ts'
import { type Resolution, resolutionWords } from './resolutions.ts'

// The facts of a decision about a difference, as people propose, read and sign them.

const { account, day, difference, kind, direction, amount, reference, resolution, to_merchant, credited } =
  proposalFacts
const { other_account, reason } = proposalFacts
export const resolutionFacts = {
  ...{ account, day, difference, kind, direction, amount, reference, resolution, to_merchant, credited },
  ...{ other_account, reason },
}

type Balance = 'available' | 'transfer'

export const resolutionFields = {
  resolution: choiceField<Resolution>(resolution, {
    label: ['Décision', 'Decision'],
    choices: resolutionWords,
    fault: ['Choisissez une décision.', 'Choose a decision.'],
    says: 'what becomes of the difference',
  }),
  amount: optional(
    sumField(['Montant, F CFA', 'Amount, F CFA'], { hint: ['Facultatif, pour vérifier.', 'Optional, to check.'] }),
  ),
  merchant: optional({
    ...merchantField(['Marchand', 'Merchant']),
    write: (id: number) => to_merchant.write(String(id)),
  }),
  balance: optional(
    choiceField<Balance>(credited, {
      label: ['Solde du marchand', 'The merchant’s balance'],
      choices: { available: ['disponible', 'available'], transfer: ['solde d’envoi', 'payout balance'] },
      fault: ['Choisissez un solde.', 'Choose a balance.'],
      says: 'which balance of the merchant gets the money; otherwise available',
    }),
  ),
  account: optional({
    ...accountField,
    option: { ...accountField.option, says: 'the other account of an own transfer' },
  }) as Field<string | null>,
  reason: reasonField(['Pourquoi', 'Why']),
}

/** The decision as the first person typed it, and what it is about. Money in francs. */
export type ToResolve = {
  readonly id: string
  readonly livemode: boolean
  readonly account: string
  readonly day: string
  readonly kind: DifferenceRow['kind']
  readonly amount: number
  readonly resolution: Resolution
  readonly merchant: number | null
  readonly credited: Balance | null
  readonly other_account: string | null
  readonly reason: string
}

/** The content that both people read. */
export const contentOf = (of: ToResolve, line: LineRow | null) => ({
  ...{ account: of.account, day: of.day, difference: of.id, kind: of.kind, amount: of.amount },
  ...{ direction: line?.direction ?? null, reference: line?.reference ?? null, resolution: of.resolution },
  ...{ to_merchant: of.merchant === null ? null : String(of.merchant), credited: of.credited },
  ...{ other_account: of.other_account, reason: of.reason },
})
