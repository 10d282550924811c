import type { ErrorCode } from '../values/error-codes.ts'
import type { Words } from '../values/language.ts'
import { collectingWords } from './collecting-words.ts'
import type { Explained, Moved } from './explained.ts'
import { keyWords } from './key-words.ts'
import { moneyOutWords } from './money-out-words.ts'
import { requestWords } from './request-words.ts'

/** The codes that our packages give when no answer of the service came. */
export const clientCodes = ['no_answer', 'unreadable', 'aborted'] as const
export type ExplainedCode = ErrorCode | (typeof clientCodes)[number]

export const moneyWords = {
  no: [
    'Non. La demande a été refusée avant que quoi que ce soit soit écrit : aucun argent n’a bougé, et cette demande n’en fera jamais bouger.',
    'No. The request was refused before anything was written: no money moved, and this request will never move any.',
  ],
  before: [
    'Pas par cet appel. S’il en répète un dont la réponse s’est perdue, celui-là a pu en faire bouger : répétez-le avec la même clé d’idempotence.',
    'Not by this call. If it repeats one whose answer was lost, that one may have: repeat it with the same idempotency key.',
  ],
  elsewhere: [
    'Pas par cette demande. Celle d’avant, elle, a pu aboutir : lisez la ressource avant de recommencer.',
    'Not by this request. The earlier one may have succeeded: read the resource before you begin again.',
  ],
  unknown: [
    '**On ne sait pas encore.** La demande a peut-être été acceptée. Renvoyez-la avec la même `Idempotency-Key` et le même corps : vous aurez la première réponse, ou l’opération se fera maintenant, une seule fois.',
    '**Not known yet.** The request may have been accepted. Send it again with the same `Idempotency-Key` and the same body: you get the first answer, or the operation is done now, once.',
  ],
  reading: ['Non. Cette demande ne fait que lire.', 'No. This request only reads.'],
} as const satisfies Record<Moved, Words>

const client = {
  no_answer: {
    happened: [
      'Aucune réponse n’est arrivée, ou elle s’est coupée, à chaque essai. Ce code vient de la bibliothèque.',
      'No answer came, or it broke off, at each attempt. This code comes from the library.',
    ],
    money: 'unknown',
    todo: [
      'Rappelez avec la même clé (`error.idempotencyKey`). Sans clé sous la main, cherchez par votre référence dans `GET /x/payments?reference=…` avant de refaire quoi que ce soit.',
      'Call again with the same key (`error.idempotencyKey`). Without a key, look for your reference in `GET /x/payments?reference=…` before you do anything anew.',
    ],
  },
  unreadable: {
    happened: [
      'Autre chose a répondu à la place du service : un pare-feu, un portail d’hôtel, une page HTML, une redirection. Ce code vient de la bibliothèque.',
      'Something else answered in place of the service: a firewall, a hotel portal, an HTML page, a redirect. This code comes from the library.',
    ],
    money: 'unknown',
    todo: [
      'Regardez `error.raw` et vérifiez `url`. Puis rappelez avec la même clé.',
      'Look at `error.raw` and check `url`. Then call again with the same key.',
    ],
  },
  aborted: {
    happened: [
      'Votre `AbortSignal` a mis fin à l’appel. Ce code vient de la bibliothèque.',
      'Your `AbortSignal` ended the call. This code comes from the library.',
    ],
    money: 'unknown',
    todo: [
      'Si `error.mayHaveHappened` est vrai, la demande était partie : rappelez avec la même clé, ou lisez la ressource. Sinon rien n’est parti.',
      'If `error.mayHaveHappened` is true, the request had left: call again with the same key, or read the resource. Otherwise nothing left.',
    ],
  },
} as const satisfies Record<(typeof clientCodes)[number], Explained>

/** The page of every code. The compiler refuses a code without one. */
export const errorWords: Readonly<Record<ExplainedCode, Explained>> = {
  ...keyWords,
  ...requestWords,
  ...collectingWords,
  ...moneyOutWords,
  ...client,
}
