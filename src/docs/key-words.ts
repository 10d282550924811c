import type { ErrorCode } from '../values/error-codes.ts'
import type { Explained } from './explained.ts'

/** The codes about keys, rights and rates, which most routes give. */
export const keyWords = {
  idempotency_key_required: {
    happened: [
      'L’en-tête `Idempotency-Key` manque, ou n’a pas 8 à 255 caractères.',
      'The header `Idempotency-Key` is missing, or does not have 8 to 255 characters.',
    ],
    money: 'no',
    todo: [
      'Donnez à chaque opération un nom à elle, gardé avec votre commande avant l’appel : `commande-417-paiement`. Les reversements répondent 422 ; les autres routes, 400.',
      'Give every operation a name of its own, kept with your order before the call: `order-417-payment`. Settlements answer 422; the other routes, 400.',
    ],
  },
  idempotency_in_progress: {
    happened: [
      'La même demande est encore en cours : vous l’avez envoyée deux fois en même temps.',
      'The same request is still running: you sent it twice at the same time.',
    ],
    money: 'elsewhere',
    todo: [
      'Attendez une seconde et renvoyez-la avec la même clé : vous aurez la réponse de la première. Ne changez surtout pas de clé.',
      'Wait a second and send it again with the same key: you get the answer of the first. Do not change the key.',
    ],
  },
  idempotency_key_reused: {
    happened: [
      'Cette clé a déjà servi à une demande différente : autre route ou autre corps.',
      'This key was used for a different request before: another route or another body.',
    ],
    money: 'elsewhere',
    todo: [
      'Si c’est la même commande, renvoyez exactement le premier corps. Si c’en est une autre, prenez une nouvelle clé. La cause la plus fréquente : un montant ou une date recalculés entre deux essais. (422, et 409 sur les reversements.)',
      'If it is the same order, send exactly the first body. If it is another one, take a new key. The commonest cause: an amount or a date computed anew between two attempts. (422, and 409 on settlements.)',
    ],
  },
  authentication_required: {
    happened: ['La clé d’API manque.', 'The API key is missing.'],
    money: 'before',
    todo: [
      'Envoyez `Authorization: Bearer bdm_sk_test_…`, depuis votre serveur, jamais depuis une page ou une application.',
      'Send `Authorization: Bearer bdm_sk_test_…`, from your server, never from a page or an app.',
    ],
  },
  invalid_api_key: {
    happened: [
      'La clé est inconnue, incomplète ou révoquée, ou l’appel vient d’une adresse IP que la clé ne permet pas. La réponse est volontairement la même dans tous les cas.',
      'The key is unknown, incomplete or revoked, or the call comes from an IP address that the key does not allow. The answer is the same in every case, on purpose.',
    ],
    money: 'before',
    todo: [
      'Comparez les quatre derniers caractères avec ceux de la console, qui montre aussi la dernière adresse refusée. Une clé n’est montrée qu’une fois : en cas de doute, créez-en une autre.',
      'Compare the last four characters with those in the console, which also shows the last refused address. A key is shown once: when in doubt, create another one.',
    ],
  },
  insufficient_scope: {
    happened: [
      'La clé n’a pas le droit que cette route demande : `collect` pour encaisser, `payout` pour payer.',
      'The key does not have the scope that this route needs: `collect` to collect, `payout` to pay out.',
    ],
    money: 'before',
    todo: [
      'Utilisez une clé de l’autre droit. Une clé n’en a qu’un : celle de votre boutique ne peut pas envoyer d’argent.',
      'Use a key with the other scope. A key has only one: the key of your shop cannot send money.',
    ],
  },
  merchant_inactive: {
    happened: ['Votre compte est désactivé par le service.', 'The service has deactivated your account.'],
    money: 'no',
    todo: [
      'Écrivez au support. Vous pouvez encore lire, et annuler un lot qui n’est pas parti.',
      'Write to support. You can still read, and cancel a batch that has not left.',
    ],
  },
  rate_limit_exceeded: {
    happened: [
      'Trop d’appels dans cette minute, pour la clé ou pour l’adresse IP.',
      'Too many calls in this minute, for the key or for the IP address.',
    ],
    money: 'before',
    todo: [
      'Attendez le nombre de secondes de `Retry-After`, puis renvoyez avec la même clé d’idempotence. Si vous lisez un paiement en boucle, recevez plutôt les [webhooks](../webhooks.md) ou suivez le [flux](../flux.md).',
      'Wait the seconds in `Retry-After`, then send again with the same idempotency key. If you read a payment in a loop, receive [webhooks](../webhooks.md) or follow the [feed](../feed.md) instead.',
    ],
  },
  too_many_attempts: {
    happened: [
      'Trop d’essais récents pour le même numéro (ou trop de vérifications d’un destinataire). La limite protège le client d’une pluie de demandes ; elle ne dit rien de lui.',
      'Too many recent attempts for the same number (or too many checks of a recipient). The limit protects the customer from a rain of requests; it says nothing about them.',
    ],
    money: 'no',
    todo: [
      'Ne réessayez pas en boucle : la bibliothèque ne le fait pas non plus. Montrez au client que la demande précédente est encore sur son téléphone, et proposez d’attendre dix minutes.',
      'Do not retry in a loop: neither does the library. Tell the customer that the earlier request is still on their phone, and offer to wait ten minutes.',
    ],
  },
} as const satisfies Partial<Record<ErrorCode, Explained>>
