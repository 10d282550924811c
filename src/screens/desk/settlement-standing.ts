import type { Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { personName } from './case-words.ts'

export const samePerson = [
  'Vous avez demandé ou validé ce reversement, ou vous avez fait entrer qui l’a fait : une autre personne entre le virement.',
  'You requested or validated this settlement, or let in the person who did: another person enters the transfer.',
] as const satisfies Words
export const referenceUsed = [
  'Cette référence a déjà payé {id}.',
  'This reference has paid {id} already.',
] as const satisfies Words

/** Writes the state of a settlement that was decided already. A repeated decision is confirmed. */
export function sayStanding(
  { say, language }: ScreenRequest<'desk'>,
  { settlement, names }: { settlement: SettlementRow; names: ReadonlyMap<string, string> },
): string {
  const told = (person: string | null, at: Date | null) => ({
    name: personName(person, names, say),
    at: at === null ? '' : writeShortDate(at, language),
  })
  switch (settlement.status) {
    case 'pending_validation':
      return say(['Il attend d’être validé : on le paie après.', 'It waits to be validated: it is paid after that.'])
    case 'validated':
      return say(
        [
          'Déjà validé par {name}, {at}. Il attend le virement.',
          'Validated already by {name}, {at}. It waits for the transfer.',
        ],
        told(settlement.validated_by, settlement.validated_at),
      )
    case 'paid':
      return say(
        ['Déjà payé par {name}, {at}.', 'Paid already by {name}, {at}.'],
        told(settlement.paid_by, settlement.paid_at),
      )
    case 'rejected':
      return say(
        [
          'Déjà rejeté par {name}, {at}. L’argent est revenu au marchand.',
          'Rejected already by {name}, {at}. The money went back to the merchant.',
        ],
        told(settlement.rejected_by, settlement.rejected_at),
      )
  }
}
