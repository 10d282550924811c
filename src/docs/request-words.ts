import type { ErrorCode } from '../values/error-codes.ts'
import type { Explained } from './explained.ts'

/** The codes about the request itself. */
export const requestWords = {
  invalid_body: {
    happened: [
      'Le corps n’est pas un objet JSON lisible, ou un champ a un mauvais type.',
      'The body is no readable JSON object, or a field has a wrong type.',
    ],
    money: 'no',
    todo: [
      'Envoyez `Content-Type: application/json` et un objet. Le message nomme le champ. `null` vaut absent, un champ inconnu est ignoré.',
      'Send `Content-Type: application/json` and an object. The message names the field. `null` means absent, an unknown field is ignored.',
    ],
  },
  invalid_request: {
    happened: [
      'La demande est mal formée : en-tête en double, version inconnue, paramètre illisible, curseur d’un autre compte.',
      'The request is malformed: a header twice, an unknown version, an unreadable parameter, a cursor of another account.',
    ],
    money: 'no',
    todo: [
      'Lisez le message, il nomme ce qui ne va pas. Un filtre mal écrit est refusé au lieu de tout lister.',
      'Read the message, it names the fault. A misspelt filter is refused instead of listing everything.',
    ],
  },
  method_not_allowed: {
    happened: ['Cette adresse existe, mais pas avec cette méthode.', 'This address exists, but not with this method.'],
    money: 'no',
    todo: [
      'L’en-tête `Allow` donne les méthodes. Cause fréquente : une redirection a changé POST en GET ; appelez directement l’adresse en `https`.',
      'The header `Allow` has the methods. A frequent cause: a redirect turned POST into GET; call the `https` address directly.',
    ],
  },
  resource_not_found: {
    happened: [
      'Rien de ce nom pour cette clé et ce mode. Une ressource d’un autre marchand ou de l’autre mode répond de la même façon.',
      'Nothing of this name for this key and mode. A resource of another merchant or of the other mode answers in the same way.',
    ],
    money: 'no',
    todo: [
      'Vérifiez l’identifiant, et si la clé est de test ou réelle. C’est presque toujours un identifiant de test lu avec une clé réelle, ou l’inverse.',
      'Check the id, and whether the key is a test or a live one. It is nearly always an id of test mode read with a live key, or the reverse.',
    ],
  },
  invalid_id: {
    happened: [
      'L’identifiant n’a pas la forme attendue (`txn_…`, `por_…`, `pob_…`).',
      'The id does not have the expected form (`txn_…`, `por_…`, `pob_…`).',
    ],
    money: 'reading',
    todo: [
      'Envoyez l’identifiant tel que la réponse ou l’événement l’a donné, à la fin du chemin.',
      'Send the id as the answer or the event gave it, at the end of the path.',
    ],
  },
  invalid_amount: {
    happened: [
      'Le montant n’est pas un nombre entier de francs. `"10000"`, `10000.0` et `0` sont refusés.',
      'The amount is no whole number of francs. `"10000"`, `10000.0` and `0` are refused.',
    ],
    money: 'no',
    todo: [
      'Envoyez un entier JSON : `10000`. En PHP `(int) $montant`, en JavaScript `Math.round(montant)`. Le franc n’a pas de centimes : ne multipliez pas par 100.',
      'Send a JSON integer: `10000`. In PHP `(int) $amount`, in JavaScript `Math.round(amount)`. The franc has no cents: do not multiply by 100.',
    ],
  },
  invalid_currency: {
    happened: ['La seule devise est `XOF`.', 'The only currency is `XOF`.'],
    money: 'no',
    todo: ['Envoyez `XOF`, ou rien.', 'Send `XOF`, or nothing.'],
  },
  invalid_msisdn: {
    happened: ['Le numéro n’est pas un mobile ivoirien lisible.', 'The number is no readable Ivorian mobile number.'],
    money: 'no',
    todo: [
      'Dix chiffres (`0700000000`), ou `+225` et dix chiffres. Les espaces, points et tirets sont permis ; les anciens numéros à huit chiffres ne le sont plus.',
      'Ten digits (`0700000000`), or `+225` and ten digits. Spaces, dots and dashes are allowed; the former eight-digit numbers are not.',
    ],
  },
  invalid_operator: {
    happened: ['L’opérateur n’est pas connu, ou pas proposé ici.', 'The operator is not known, or not on offer here.'],
    money: 'no',
    todo: [
      'Envoyez `orange_ci`, `mtn_ci`, `moov_ci` ou `wave_ci`, ou rien : l’opérateur suit alors du numéro.',
      'Send `orange_ci`, `mtn_ci`, `moov_ci` or `wave_ci`, or nothing: the operator then follows from the number.',
    ],
  },
  invalid_expires_at: {
    happened: ['`expires_at` n’est pas un moment futur.', '`expires_at` is no future moment.'],
    money: 'no',
    todo: [
      'Envoyez un moment comme `2027-01-01T00:00:00Z`, ou rien.',
      'Send a moment such as `2027-01-01T00:00:00Z`, or nothing.',
    ],
  },
  invalid_return_url: {
    happened: ['`return_url` n’est pas une adresse `https` complète.', '`return_url` is no complete `https` address.'],
    money: 'no',
    todo: [
      'Envoyez une adresse absolue en `https`, sans nom ni mot de passe, de 2 048 caractères au plus. Pendant le développement, laissez le champ de côté : `http://localhost` est refusé.',
      'Send an absolute `https` address, without a name or password, of 2 048 characters at most. While you develop, leave the field out: `http://localhost` is refused.',
    ],
  },
  invalid_period: {
    happened: [
      '`from` ou `to` manque, n’est pas une date, ou `from` est après `to`.',
      '`from` or `to` is missing or no date, or `from` is after `to`.',
    ],
    money: 'reading',
    todo: [
      'Envoyez deux jours, `AAAA-MM-JJ`, en UTC (l’heure d’Abidjan).',
      'Send two days, `YYYY-MM-DD`, in UTC (the time of Abidjan).',
    ],
  },
  cursor_expired: {
    happened: [
      'Des événements pas encore lus, après ce curseur, ont été effacés à cause de leur âge (un an).',
      'Events not read yet, after this cursor, were deleted because of their age (a year).',
    ],
    money: 'reading',
    todo: [
      'Reprenez au moment que le message nomme, et comparez la période manquante avec `GET /x/payments` et `GET /x/payouts`.',
      'Go on from the moment that the message names, and compare the missing time with `GET /x/payments` and `GET /x/payouts`.',
    ],
  },
  event_not_deliverable: {
    happened: ['Cet événement n’a aucune adresse où aller.', 'This event has no endpoint to go to.'],
    money: 'reading',
    todo: [
      'Enregistrez une adresse de webhook dans la console ; les événements suivants y iront. Celui-ci, lisez-le par `GET /x/events/<id>`.',
      'Register an endpoint in the console; later events go there. Read this one with `GET /x/events/<id>`.',
    ],
  },
} as const satisfies Partial<Record<ErrorCode, Explained>>
