import type { MailWords } from './stopped-mail.ts'

/** The mails about telephones, one of which is paired with a till or gets a person's notices, and about the check of a merchant. */
export const deviceMails = {
  merchant_checked: {
    subject: ['votre dossier est vérifié', 'your file is checked'],
    text: [
      'Le dossier de {place} est vérifié. Les limites du début ne valent plus.',
      'The file of {place} is checked. The limits of the beginning have ended.',
    ],
    page: () => '',
  },
  phone_paired: {
    subject: ['un téléphone est relié à une caisse', 'a phone was paired with a till'],
    text: [
      'Un autre téléphone voit maintenant les paiements d’une caisse de {place}. Si vous n’étiez pas au courant, arrêtez-le sur cette page.',
      'Another phone now sees the payments of a till of {place}. If you did not expect it, end it on this page.',
    ],
    page: (id) => `/links/${id}`,
  },
  device_added: {
    subject: ['un appareil reçoit vos avis', 'a device gets your notices'],
    text: [
      'Un appareil reçoit maintenant vos avis ({device}). Si ce n’est pas vous, arrêtez-le sur la page Notifications et changez de mot de passe.',
      'A device now gets your notices ({device}). If it was not you, stop it on the page Notifications and change your password.',
    ],
    page: null,
  },
} as const satisfies Record<string, MailWords>
