import { groupDigits } from '../../values/group-digits.ts'
export const languages = ['fr', 'en'] as const
export type Language = (typeof languages)[number]

/** Every sentence of the phones, in French and in English. */
const sentences = {
  title: ['Téléphones', 'Phones'],
  brand: ['Jumeau des opérateurs', 'Operators’ twin'],
  band: ['TEST – aucun argent réel', 'TEST – no real money'],
  skip: ['Aller au contenu', 'Skip to the content'],
  lead: [
    'Chaque numéro est un téléphone. Ce qui lui est demandé s’y affiche.',
    'Every number is a phone, and shows here each request that reaches it.',
  ],
  other_language: ['English', 'Français'],
  another: ['Un autre numéro', 'Another number'],
  take: ['Prendre ce téléphone', 'Take this phone'],
  bad_number: ['Dix chiffres, comme 07 00 00 00 00.', 'Ten digits, such as 07 00 00 00 00.'],
  all_phones: ['Tous les téléphones', 'All phones'],
  more: ['Et {count} autres : tapez un numéro pour voir le sien.', 'And {count} more: type a number to see its own.'],
  asks: ['{payee} demande', '{payee} asks for'],
  account: ['Solde de ce compte : {balance}', 'Balance of this account: {balance}'],
  left: ['Encore {left}', '{left} left'],
  pin: ['Code secret', 'Secret code'],
  pin_hint: ['Ici, c’est {pin}.', 'Here it is {pin}.'],
  pin_wrong: [
    'Ce n’est pas le bon code. À la troisième fois, la demande est refusée.',
    'That is not the code. The third time, the request is refused.',
  ],
  short: ['Pas assez d’argent : approuver sera refusé.', 'Not enough money: approving will be refused.'],
  decline: ['Refuser', 'Decline'],
  approve: ['Approuver', 'Approve'],
  lapse: ['Laisser expirer', 'Let it lapse'],
  on: ['sur le {number}', 'on {number}'],
  waiting: ['{count} autre demande attend.', '{count} more request waits.'],
  code_for: ['Code à usage unique', 'One-time code'],
  code_use: ['À taper sur la page de paiement. {left}.', 'Type it on the payment page. {left}.'],
  code_where: ['Ce code s’obtient sur votre téléphone, au #144*82#.', 'Your phone gives this code: dial #144*82#.'],
  code_refused: ['Ce code est faux ou trop vieux.', 'This code is wrong or too old.'],
  new_code: ['Nouveau code', 'New code'],
  get_code: ['Obtenir un code', 'Get a code'],
  drop_code: ['Laisser expirer', 'Let it lapse'],
  paid: ['Vous avez payé', 'You have paid'],
  paid_more: ['{payee}, {time}. Nouveau solde : {balance}', '{payee}, {time}. New balance: {balance}'],
  declined: ['Vous avez refusé', 'You declined'],
  lapsed: ['La demande a expiré', 'The request has lapsed'],
  refused: ['Paiement refusé', 'Payment refused'],
  nothing_taken: ['{amount} pour {payee}. Rien n’a été pris.', '{amount} for {payee}. Nothing was taken.'],
  received: ['Vous avez reçu {amount}', 'You have received {amount}'],
  refunded: ['Vous êtes remboursé de {amount}', 'You are refunded {amount}'],
  received_more: ['de {payee}. Nouveau solde : {balance}.', 'from {payee}. New balance: {balance}.'],
  paid_note: ['Vous avez payé {amount}', 'You have paid {amount}'],
  paid_note_more: ['à {payee}. Nouveau solde : {balance}.', 'to {payee}. New balance: {balance}.'],
  ended_more: ['pour {payee}. Rien n’a été pris.', 'for {payee}. Nothing was taken.'],
  idle: ['En attente d’une demande…', 'Waiting for a request…'],
  pay_title: ['Paiement', 'Payment'],
  your_number: ['Votre numéro', 'Your number'],
  another_payer: ['Ce paiement est pour un autre numéro.', 'This payment is for another number.'],
  go_on: ['Continuer', 'Continue'],
  return_to: ['Retourner à la boutique', 'Go back to the shop'],
  unknown_payment: ['Ce paiement n’existe pas ici.', 'There is no such payment here.'],
  reload: ['Actualiser', 'Refresh'],
} as const satisfies Record<string, readonly [string, string]>

export type SentenceName = keyof typeof sentences
export type Say = (name: SentenceName, fillings?: Record<string, string>) => string

/** Says a sentence in a language; a name in braces is replaced. Plain text: the page escapes it. */
export function sayIn(language: Language): Say {
  return (name, fillings = {}) =>
    sentences[name]
      [languages.indexOf(language)]!.replace(/\{(\w+)\}/g, (gap, key: string) => fillings[key] ?? gap)
      .replace(/ (?=[:;?!])|(?<=\d\d) (?=\d\d\b)/g, '\u00a0')
}

/** `25 000 F CFA`, never broken over a line. */
export function writeAmount(francs: number): string {
  return `${groupDigits(francs)}\u00a0F\u00a0CFA`
}

/** `07 58 41 20 77` of `+2250758412077`. */
export function writeNumber(msisdn: string): string {
  return msisdn.slice(4).replace(/\d\d\B/g, '$& ')
}

/** `1 min 40` */
export function writeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  const minutes = Math.floor(seconds / 60)
  const rest = seconds % 60
  if (minutes === 0) return `${rest}\u00a0s`
  return rest === 0 ? `${minutes}\u00a0min` : `${minutes}\u00a0min\u00a0${String(rest).padStart(2, '0')}`
}

const locales = { fr: 'fr-FR', en: 'en-GB' } as const

/** `10:53`, of Abidjan, which keeps UTC. */
export function writeTime(at: number): string {
  return new Date(at).toISOString().slice(11, 16)
}

/** `mardi 24 novembre` */
export function writeDay(at: number, language: Language): string {
  const style = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locales[language], style).format(new Date(at))
}
