import { busyWords } from '../../acts/unless-busy.ts'
import { askingWords } from '../ask-first.ts'
import { type ApprovalRequest, DECLINE_REASON_MAX, type Refused } from './parts.ts'

/** The reasons why a decision or a check of names had no effect. */
export type RefusalOfDecision =
  | 'resource_not_found'
  | 'already_decided'
  | 'same_person'
  | 'merchant_inactive'
  | 'beneficiary_archived'
  | 'insufficient_funds'
  | 'too_many_attempts'
  | 'batch_not_executable'
  | 'busy'
  | 'reason_unreadable'
  | 'asking_operator'
  | 'not_allowed'
  | 'not_alone'
  | 'not_waiting'
  | 'expires_first'

/** Returns a refusal in words for a shop owner: what happened, and what to do. The subject still waits. */
export function refusalWords({ say }: Pick<ApprovalRequest, 'say'>, code: RefusalOfDecision): Refused {
  switch (code) {
    case 'same_person':
    case 'not_allowed':
    case 'not_alone':
      return {
        title: say(['Une autre personne décide', 'Somebody else decides']),
        text: say([
          'Cette demande vient de vous, ou d’une personne que vous avez fait entrer depuis moins de 90 jours. Rien n’est parti, et elle attend toujours.',
          'You made this request, or let in within 90 days the person who did. Nothing left, and it still waits.',
        ]),
      }
    case 'insufficient_funds':
      return {
        title: say(['Le solde d’envoi ne suffit pas', 'The payout balance is too low']),
        text: say([
          'Rien n’est parti. La demande attend toujours : approuvez-la quand le solde suffit.',
          'Nothing left. The request still waits: approve it once the balance covers it.',
        ]),
      }
    case 'beneficiary_archived':
      return {
        title: say(['Ce bénéficiaire n’est plus au carnet', 'This recipient is no longer in the address book']),
        text: say([
          'Rien n’est parti. Refusez la demande, ou ajoutez le bénéficiaire et demandez un nouvel envoi.',
          'Nothing left. Decline the request, or save the beneficiary and request a new payout.',
        ]),
      }
    case 'merchant_inactive':
      return {
        title: say(['Votre compte est suspendu', 'Your account is suspended']),
        text: say([
          'Rien n’est parti. Écrivez à l’équipe du service : la demande attend.',
          'Nothing left. Write to the team of the service: the request waits.',
        ]),
      }
    case 'asking_operator':
      return { title: say(askingWords.title), text: say(askingWords.text) }
    case 'busy':
      return { title: say(busyWords.title), text: say(busyWords.text) }
    case 'reason_unreadable':
      return {
        title: say(['La raison est trop longue', 'The reason is too long']),
        text: say(
          [
            'Rien n’est décidé. Écrivez-la sur une ligne de {max} signes au plus.',
            'Nothing is decided. Write it on one line of {max} characters at most.',
          ],
          { max: DECLINE_REASON_MAX },
        ),
      }
    case 'too_many_attempts':
      return {
        title: say(['Trop de vérifications', 'Too many checks']),
        text: say([
          'Ce nom a été demandé trop souvent. Attendez, ou appelez la personne.',
          'This name was asked about too often. Wait, or call the person.',
        ]),
      }
    default:
      return {
        title: say(['Rien n’a été fait', 'Nothing was done']),
        text: say(['La demande n’est plus comme avant. Relisez-la.', 'The request has changed. Read it again.']),
      }
  }
}
