import type { ActRefused, RefusalWords } from '../acts/act.ts'
import { type PersonNames, personWords } from '../people/person-words.ts'
import { writeShortDate } from '../platform/http/pages/write-values.ts'
import type { Words } from '../values/language.ts'
import type { SettlementRow } from './settlement.ts'

/** The state of a settlement that does not allow a decision: it was made already, or comes too early. */
export const standingRefusals = {
  pending_validation: {
    words: ['Il attend d’être validé : on le paie après.', 'It waits to be validated: it is paid after that.'],
    command: '{id} waits to be validated; it can be paid after that.',
  },
  validated: {
    words: [
      'Déjà validé par {name}, {at}. Il attend le virement.',
      'Validated already by {name}, {at}. It waits for the transfer.',
    ],
    command: '{id} was validated already, by {person} at {time}. It waits to be paid.',
  },
  paid: {
    words: ['Déjà payé par {name}, {at}.', 'Paid already by {name}, {at}.'],
    command: '{id} is paid: transfer {bank_reference}, entered by {person} at {time}.',
  },
  rejected: {
    words: [
      'Déjà rejeté par {name}, {at}. L’argent est revenu au marchand.',
      'Rejected already by {name}, {at}. The money went back to the merchant.',
    ],
    command: '{id} was rejected by {person} at {time}. The amount went back.',
  },
} as const satisfies Record<SettlementRow['status'], RefusalWords>

type Standing = ActRefused<SettlementRow['status']> & { readonly fillings: Readonly<Record<string, string | Words>> }

/** The refusal of a decision that the state does not allow, with the person and the time of that state. */
export function refuseStanding(settlement: SettlementRow, names: PersonNames): Standing {
  const { status, validated_by, validated_at, paid_by, paid_at, rejected_by, rejected_at } = settlement
  const [person, at] = {
    pending_validation: [null, null] as const,
    validated: [validated_by, validated_at] as const,
    paid: [paid_by, paid_at] as const,
    rejected: [rejected_by, rejected_at] as const,
  }[status]
  const fillings: Standing['fillings'] = {
    ...{ name: personWords(person, names), person: person ?? '', bank_reference: settlement.bank_reference ?? '' },
    at: at === null ? '' : [writeShortDate(at, 'fr'), writeShortDate(at, 'en')],
    time: at?.toISOString() ?? '',
  }
  return { kind: 'refused', code: status, fillings }
}
