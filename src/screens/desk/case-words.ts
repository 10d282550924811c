import type { ProposedAct } from '../../acts/proposal.ts'
import { status } from '../../console/components.ts'
import { type Say, sayWords, type Words } from '../../console/say.ts'
import { capWords } from '../../console/words.ts'
import { writeFact } from '../../operators/doubts/find-doubts.ts'
import type { Order } from '../../operators/port.ts'
import type { AnomalyKind } from '../../operators/sending/decide.ts'
import { type PersonNames, personWords } from '../../people/person-words.ts'
import type { Html } from '../../platform/http/html.ts'
import { isFailureCode } from '../../values/failure-codes.ts'
import { isOperatorCode, operatorNames } from '../../values/operators.ts'
import { sayReason } from '../operations/failure-words.ts'
import type { CaseAbout, DeskCase } from './find-cases.ts'

const doubtWords: Readonly<Record<Order['direction'], Words>> = {
  collect: ['Paiement sans preuve', 'Payment without proof'],
  payout: ['Envoi sans preuve', 'Payout without proof'],
  refund: ['Remboursement sans preuve', 'Refund without proof'],
}

const anomalyWords: Readonly<Record<Exclude<AnomalyKind, 'in_doubt'>, Words>> = {
  amount_differs: ['Montant différent', 'Another amount'],
  currency_differs: ['Devise différente', 'Another currency'],
  proof_after_refusal: ['Preuve après un échec', 'Proof after a failure'],
  refusal_after_proof: ['Échec après une preuve', 'Failure after a proof'],
  unknown_status: ['Réponse inconnue', 'Unknown answer'],
  unknown_reference: ['Référence inconnue', 'Unknown reference'],
  second_success: ['Payé deux fois', 'Paid twice'],
}

/** The title of each act that waits for its second person. */
export const proposalWords: Readonly<Record<ProposedAct, Words>> = {
  'balance.deposit': ['Dépôt à inscrire', 'Deposit to book'],
  'refund.create': ['Remboursement à confirmer', 'Refund to confirm'],
  'connector.set': ['Connecteur à confirmer', 'Connector to confirm'],
  'route.set': ['Route à confirmer', 'Route to confirm'],
  'external_account.open': ['Compte à ouvrir', 'Account to open'],
  'reconcile.type': ['Relevé saisi à confirmer', 'Typed statement to confirm'],
  'reconcile.withdraw': ['Relevé à retirer', 'Statement file to withdraw'],
  'reconcile.propose': ['Écart à décider', 'Difference to decide'],
  'merchant_check.propose': ['Marchand à vérifier', 'Merchant to check'],
}

/** The addresses of the acts that wait for a second person, below that of the desk's mode. */
export const proposalPaths: Readonly<Record<ProposedAct, string>> = {
  'balance.deposit': '/proposals/deposits',
  'refund.create': '/proposals/refunds',
  'connector.set': '/proposals/connectors',
  'route.set': '/proposals/routes',
  'external_account.open': '/proposals/accounts',
  'reconcile.type': '/proposals/accounts',
  'reconcile.withdraw': '/proposals/accounts',
  'reconcile.propose': '/proposals/accounts',
  'merchant_check.propose': '/proposals/checks',
}

/** Writes the subject of a case in a few words. */
export function titleOf(about: CaseAbout, say: Say): string {
  switch (about.kind) {
    case 'doubt':
      return say(doubtWords[about.direction])
    case 'anomaly':
      if (about.anomaly_kind !== 'in_doubt') return say(anomalyWords[about.anomaly_kind])
      return say(about.direction === null ? doubtWords.collect : doubtWords[about.direction])
    case 'settlement':
      return say(['Reversement', 'Settlement'])
    case 'refund':
      return say(['Remboursement à la main', 'Refund by hand'])
    case 'adjustment':
      return about.direction === 'credit'
        ? say(['Ajustement, en plus', 'Adjustment, owe more'])
        : say(['Ajustement, en moins', 'Adjustment, owe less'])
    case 'cap':
      return say(['{cap} à relever', '{cap} to raise'], { cap: say(capWords[about.cap]) })
    case 'refund_asked':
      return say(['Remboursement demandé', 'Refund asked for'])
    case 'destination':
      return about.called
        ? say(['Destination à confirmer', 'Destination to confirm'])
        : say(['Destination : appeler le marchand', 'Destination: call the merchant'])
    case 'proposal':
      return say(proposalWords[about.act])
  }
}

/** The mark of a case's state. */
export function standingOf({ about, first_person }: Pick<DeskCase, 'about' | 'first_person'>, say: Say): Html {
  if (about.kind === 'settlement') {
    return about.validated
      ? status('going', say(['Validé, à payer', 'Validated, to pay']))
      : status('wait', say(['À valider', 'To validate']))
  }
  if (about.kind === 'refund') return status('wait', say(['À rendre', 'To refund by hand']))
  if (about.kind === 'refund_asked') return status('wait', say(['À vérifier', 'To check']))
  if (about.kind === 'destination' && !about.called) return status('wait', say(['À appeler', 'To call']))
  if (first_person !== null) return status('wait', say(['Proposé, à confirmer', 'Proposed, to confirm']))
  return about.kind === 'anomaly'
    ? status('doubt', say(['Anomalie', 'Mismatch']))
    : status('doubt', say(['En vérification', 'Being checked']))
}

/** Returns the address of a case, below that of the desk's mode. */
export function addressOf({ id, about }: Pick<DeskCase, 'id' | 'about'>): string {
  switch (about.kind) {
    case 'settlement':
      return `/settlements/${id}`
    case 'refund':
      return `/refunds/${id}`
    case 'adjustment':
      return `/adjustments/${id}`
    case 'cap':
      return `/caps/${id}`
    case 'refund_asked':
      return `/refund-requests/${id}`
    case 'destination':
      return `/destinations/${id}`
    case 'proposal':
      return `${proposalPaths[about.act]}/${id}`
    case 'doubt':
    case 'anomaly':
      return `/cases/${id}`
  }
}

/** Writes an age: `40 min`, `2 h 37`, `2 j 3 h`. */
export function ageInWords(milliseconds: number, say: Say): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${String(minutes % 60).padStart(2, '0')}`
  const days = Math.floor(hours / 24)
  const rest = hours % 24 === 0 ? '' : ` ${hours % 24} h`
  return `${say(['{n} j', '{n} d'], { n: days })}${rest}`
}

/** Writes what an operator said of an order: an amount, the cause of a failure, or else its own word. */
export function factInWords(fact: string, say: Say): string {
  return isFailureCode(fact) ? sayReason(say, fact) : writeFact(fact)
}

/** Writes a person by name, and the service as the service. */
export function personName(person: string | null, names: PersonNames, say: Say): string {
  return sayWords(say, personWords(person, names))
}

/** Writes the name of an operator, or the code of an unknown one. */
export function operatorWord(code: string | null, say: Say): string {
  if (code === null) return say(['l’opérateur', 'the operator'])
  return isOperatorCode(code) ? operatorNames[code] : code
}
