import type { Line } from '../../acts/facts.ts'
import type { ActFacts } from '../../people/terminals/act-facts.ts'
import { writeAmount, writeNumberEnd } from '../../platform/http/pages/write-values.ts'
import { isOperatorCode, operatorNames } from '../../values/operators.ts'
import type { Say, Words } from '../say.ts'
import { capWords } from '../words.ts'

const scopes = {
  collect: ['encaisser', 'collect money'],
  payout: ['envoyer de l’argent', 'send money'],
} as const satisfies Record<NonNullable<ActFacts['scope']>, Words>

/** The facts of a command as names and values, for the slip in the browser and for the terminal. Absent facts have no line. */
export function listFacts(facts: ActFacts, say: Say): { name: string; value: string }[] {
  const { amount, lines, recipient, merchant, merchant_id, paid, given, direction, against, cap, cap_today, scope } =
    facts
  const { person, stopped_by, proposal_id, resolution, reason, requested_by } = facts
  const listed: (readonly [string, string | undefined])[] = [
    [say(['Montant', 'Amount']), writtenAmount(amount)],
    [say(['Paiements du lot', 'Payments of the batch']), lines?.toString()],
    [say(['Destinataire', 'Recipient']), recipient && writeRecipient(recipient, say)],
    [say(['Personne', 'Person']), person],
    [say(['Marchand', 'Merchant']), merchant && `${merchant} (${merchant_id})`],
    [say(['Paiement d’origine', 'Original payment']), writtenAmount(paid)],
    [say(['Déjà rendu ou en route', 'Refunded or on its way']), writtenAmount(given)],
    [say(['Plafond', 'Cap']), cap && say(capWords[cap])],
    [say(['Plafond aujourd’hui', 'Cap today']), writtenAmount(cap_today)],
    [say(['Sens', 'Direction']), direction && sayDirection(direction, say)],
    [say(['Contrepartie', 'Booked against']), against],
    [say(['Proposition', 'Proposal']), proposal_id],
    [say(['Résolution', 'Resolution']), resolution],
    [say(['La clé peut', 'The key can']), scope && say(scopes[scope])],
    [say(['Raison', 'Reason']), reason],
    [say(['Arrêté par', 'Stopped by']), stopped_by],
    [say(['Demandé par', 'Requested by']), requested_by && sayRequester(requested_by, say)],
  ]
  return listed.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
}

/** The lines of a declared act in one language. */
export function sayLines(lines: readonly Line[], say: Say): { name: string; value: string }[] {
  return lines.map(({ name, value }) => ({ name: say(name), value: say(value) }))
}

function writtenAmount(francs: number | undefined): string | undefined {
  return francs === undefined ? undefined : writeAmount(francs)
}

/** `Awa Koné, Wave •• 45 67`. */
function writeRecipient({ name, operator, number_end }: NonNullable<ActFacts['recipient']>, say: Say): string {
  const account =
    operator !== null && isOperatorCode(operator)
      ? `${operatorNames[operator]} ${writeNumberEnd(number_end)}`
      : say(['compte bancaire {end}', 'bank account {end}'], { end: `••\u00a0${number_end}` })
  return name === null ? account : `${name}, ${account}`
}

function sayDirection(direction: 'credit' | 'debit', say: Say): string {
  return direction === 'credit'
    ? say(['plus est dû au marchand', 'more is owed to the merchant'])
    : say(['moins est dû au marchand', 'less is owed to the merchant'])
}

function sayRequester(person: string, say: Say): string {
  return person.startsWith('key:') ? say(['une clé du marchand', 'a key of the merchant']) : person
}
