import { type ConnectionFailure, failureOfCode, failureSentences } from '../../platform/egress/connection-failure.ts'
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

const privateAuthority: Words = [
  'Si l’opérateur a une autorité à lui, mettez-la dans CA_FILE.',
  'If the operator has an authority of its own, put it into CA_FILE.',
]

/** The way out that only the company has, by cause. */
const ways: Readonly<Partial<Record<ConnectionFailure, Words>>> = {
  certificate_unknown_authority: privateAuthority,
  certificate_incomplete: privateAuthority,
  certificate_self_signed: privateAuthority,
  no_route: ['Vérifiez le réseau et le VPN de cette machine.', 'Check the network and the VPN of this machine.'],
  timeout: ['Vérifiez aussi le VPN, et PROXY_URL.', 'Check the VPN too, and PROXY_URL.'],
  proxy: [
    'Vérifiez PROXY_URL, son mot de passe et ce qu’il permet, ou PROXY_EXCEPT.',
    'Check PROXY_URL, its password and what it allows, or PROXY_EXCEPT.',
  ],
}

/** The cause of a check without an answer, as a sentence. */
export function unreachable(reply: Exclude<OperatorReply, { kind: 'answered' }>): Words {
  const { reason } = reply
  const [, words = reason, code = ''] = /^(.*?)( \([A-Z0-9_]+\))?$/.exec(reason) ?? []
  if (reply.kind === 'not_sent') {
    const failure = failureOf(words, code)
    const told = [failureSentences[failure], ways[failure] ?? (['', ''] as const)]
    return [
      `base_url n’est pas joignable${code}. ${told
        .map(([french]) => french)
        .join(' ')
        .trim()}`,
      `base_url cannot be reached${code}. ${told
        .map(([, english]) => english)
        .join(' ')
        .trim()}`,
    ]
  }
  return [
    `base_url a pris la demande et n’a pas répondu : ${french[words] ?? words}${code}.`,
    `base_url took the request and gave no answer: ${reason}.`,
  ]
}

function failureOf(words: string, code: string): ConnectionFailure {
  return words === 'no connection in time' ? 'timeout' : failureOfCode(code.slice(2, -1))
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
