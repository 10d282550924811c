import type { Words } from '../../values/language.ts'
import type { OperatorReply } from './operator-http.ts'

/** Seconds that the clock of this machine may differ from the operator's. */
const CLOCK_TOLERANCE = 30

/** The reasons of a call without an answer, as `operator-http.ts` words them; the code of the network behind one stays as it is. */
const french: Readonly<Record<string, string>> = {
  'this way to the operator is closed': 'ce chemin vers l’opérateur est fermé',
  'the answer is too large': 'la réponse est trop longue',
  'no answer': 'aucune réponse',
  'the connection failed': 'la connexion a échoué',
}

/** The cause of a check without an answer, as a sentence. */
export function unreachable(reply: Exclude<OperatorReply, { kind: 'answered' }>): Words {
  const { reason } = reply
  const [, words = reason, code = ''] = /^(.*?)( \([A-Z0-9_]+\))?$/.exec(reason) ?? []
  const raison = `${french[words] ?? words}${code}`
  return reply.kind === 'not_sent'
    ? [
        `base_url n’est pas joignable : ${raison}. Vérifiez son nom, son port et ce réseau.`,
        `base_url cannot be reached: ${reason}. Check its name, its port and this network.`,
      ]
    : [
        `base_url a pris la demande et n’a pas répondu : ${raison}.`,
        `base_url took the request and gave no answer: ${reason}.`,
      ]
}

/**
 * A sentence when this machine's clock and the operator's differ by more than half a minute. Null otherwise.
 * @param because the reason why this matters, for the end of the sentence
 */
export function clockProblem(reply: OperatorReply, now: Date, operator: string, because: Words): Words | null {
  const date = reply.kind === 'answered' ? Date.parse(String(reply.headers.date)) : Number.NaN
  const wrong_by = Math.round(Math.abs(now.getTime() - date) / 1_000)
  if (Number.isNaN(date) || wrong_by <= CLOCK_TOLERANCE) return null
  return [
    `L’horloge de cette machine et celle de ${operator} diffèrent de ${wrong_by} secondes : réglez-la, car ${because[0]}.`,
    `The clock of this machine and that of ${operator} differ by ${wrong_by} seconds: set it, because ${because[1]}.`,
  ]
}
