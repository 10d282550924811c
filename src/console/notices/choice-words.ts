import type { NoticeKind } from '../../people/notices/notice.ts'
import type { Words } from '../say.ts'

/** The kinds of notices, as a person chooses them. */
export const kindWords: Readonly<Record<NoticeKind, Words>> = {
  payment: ['Chaque paiement reçu', 'Each payment received'],
  takings: ['La somme du jour, après 20:00', 'The sum of the day, after 20:00'],
  watched: [
    'Une personne seule inscrit un dépôt ou change un connecteur ou une route',
    'One person alone books a deposit or changes a connector or a route',
  ],
  approval: ['Un envoi ou un lot attend mon accord', 'A payout or a batch waits for my approval'],
  batch: ['Mon lot est approuvé ou terminé', 'My batch is approved or done'],
  stop: ['Le service arrête des envois', 'The service stops payouts'],
  key: ['Une clé qui envoie de l’argent attend un accord', 'A key that sends money waits for an approval'],
  settlement: ['Un reversement est payé ou rejeté', 'A settlement is paid or rejected'],
  till: ['Un téléphone relié à une caisse', 'A phone paired with a till'],
  destination: [
    'Une autre destination des reversements est proposée',
    'Another destination of settlements is proposed',
  ],
  money: ['De l’argent a bougé après un refus', 'Money moved after a refusal'],
  confirmation: ['Un rôle attend un deuxième administrateur', 'A role waits for a second administrator'],
  proposal: ['Ma proposition s’éteint sans décision', 'My proposal lapses without a decision'],
  role: ['Mes rôles changent', 'My roles change'],
  alarm: ['Une règle alerte, ou l’alerte est finie', 'A rule raises an alert, or it has ended'],
  security: ['Mon compte : appareil, clé d’accès, mot de passe', 'My account: device, passkey, password'],
}
