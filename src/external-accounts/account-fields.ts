import { choiceField, type Fact, type Field, lineField, oneOf, optional, text } from '../acts/facts.ts'
import type { Words } from '../values/language.ts'
import { type AccountKind, type WalletDirection, walletDirections } from './external-account.ts'

const modeWords: Readonly<Record<'test' | 'live', Words>> = { test: ['Test', 'Test'], live: ['Réel', 'Live'] }
const kindWords: Readonly<Record<AccountKind, Words>> = {
  wallet: ['Portefeuille chez un opérateur', 'Wallet at an operator'],
  bank: ['Compte en banque', 'Bank account'],
  safeguarding: ['Compte de cantonnement', 'Safeguarding account'],
}
const directionWords: Readonly<Record<WalletDirection, Words>> = {
  collect: ['encaisser', 'collect'],
  payout: ['envoyer', 'pay out'],
  refund: ['rembourser', 'refund'],
}
const dueWords = {
  daily: ['chaque jour', 'every day'],
  business: ['chaque jour ouvré', 'every business day'],
} as const

const directionsFact: Fact<readonly WalletDirection[]> = {
  name: ['Pour', 'For'],
  write(directions) {
    if (directions.length === 0) return ['tout le reste', 'everything else']
    return [0, 1].map((at) => directions.map((one) => directionWords[one][at]).join(', ')) as unknown as Words
  },
}

/** The facts of an account that people read and sign. Of its number they see the end. */
export const accountFacts = {
  account: text(['Compte', 'Account']),
  kind: oneOf(['Sorte', 'Kind'], kindWords),
  mode: oneOf(['Mode', 'Mode'], modeWords),
  connector: text(['Connecteur', 'Connector']),
  directions: directionsFact,
  number_end: { name: ['Numéro', 'Number'], write: (end) => [`… ${end}`, `… ${end}`] } as Fact<string>,
  profile: text(['Lecture des relevés', 'Statements are read as']),
  due: oneOf(['Relevé attendu', 'Statement expected'], dueWords),
  late_days: {
    name: ['Délai avant écart, jours', 'Days before a difference'],
    write: (days) => [String(days), String(days)],
  } as Fact<number>,
} as const

const name = (label: Words, pattern: RegExp, must: string, sample: string): Field<string> => ({
  ...text(label),
  read: (typed) => (pattern.test(typed) ? typed : undefined),
  form: {
    label,
    kind: 'line',
    longest: 40,
    fault: [
      'Des minuscules, des chiffres, - et _, 40 signes au plus.',
      'Lower-case letters, digits, - and _, 40 characters at most.',
    ],
  },
  option: { value: 'NAME', sample, must },
})

const NAME = /^[a-z][a-z0-9_-]{0,39}$/
const must = 'has 1 to 40 lower-case letters, digits, - and _, and begins with a letter.'

/** Reads directions with commas between them. Undefined for an unknown or a repeated one. */
function readDirections(typed: string): readonly WalletDirection[] | undefined {
  const named = typed === '' ? [] : typed.split(',')
  const known = walletDirections.filter((one) => named.includes(one))
  return known.length === named.length ? known : undefined
}

export const accountFields = {
  code: {
    ...name(['Nom du compte', 'Name of the account'], NAME, must, 'ecobank-fees'),
    option: {
      value: 'CODE',
      says: 'its permanent name: lower-case letters, digits, - and _',
      sample: 'mtn-payouts',
      must,
    },
  } as Field<string>,
  kind: choiceField(accountFacts.kind, {
    label: ['Sorte', 'Kind'],
    choices: kindWords,
    fault: ['Choisissez une sorte.', 'Choose a kind.'],
    says: 'the kind of account',
  }),
  mode: choiceField(accountFacts.mode, {
    label: ['Mode', 'Mode'],
    choices: modeWords,
    fault: ['Choisissez le mode.', 'Choose the mode.'],
    says: 'the mode',
  }),
  connector: optional(name(['Connecteur', 'Connector'], NAME, must, 'mtn-main')),
  directions: {
    ...directionsFact,
    read: readDirections,
    form: {
      label: ['Pour', 'For'],
      kind: 'line',
      fault: [
        'Écrivez collect, payout, refund, avec des virgules.',
        'Write collect, payout, refund, with commas between them.',
      ],
    },
    option: { name: 'direction', must: 'names collect, payout or refund, each once.', absent: [] },
  } as Field<readonly WalletDirection[]>,
  number: optional(
    lineField(text(['Numéro du compte', 'Number of the account']), {
      label: ['Numéro du compte, ou IBAN', 'Number of the account, or IBAN'],
      longest: 60,
      fault: ['Écrivez le numéro, de 60 signes au plus.', 'Write the number, 60 characters at most.'],
      option: { value: 'N', says: 'its number or IBAN, which is encrypted', sample: "'CI93 0001'" },
    }),
  ),
  profile: optional({
    ...name(['Lecture des relevés', 'Profile of its statements'], /^[a-z][a-z0-9_]{0,39}$/, must, 'wave_csv_fr'),
    option: { value: 'P', says: 'the profile that reads its statement files', sample: 'wave_csv_fr', must },
  } as Field<string>),
  due: optional(
    choiceField(accountFacts.due, {
      label: ['Relevé attendu', 'Statement expected'],
      choices: dueWords,
      fault: ['Choisissez un rythme.', 'Choose how often.'],
      says: 'how often a statement is expected; otherwise daily of a wallet, business of a bank',
    }),
  ),
  late: optional({
    ...accountFacts.late_days,
    read: (typed) => (/^(?:[0-9]|[12][0-9]|30)$/.test(typed) ? Number(typed) : undefined),
    form: {
      label: ['Délai avant écart, jours', 'Days before a difference'],
      kind: 'line',
      fault: ['De 0 à 30 jours.', '0 to 30 days.'],
    },
    option: {
      value: 'DAYS',
      says: 'the days after which a movement that no statement shows is a difference; otherwise 1 of a wallet, 3 of a bank',
      sample: '2',
      must: 'must be a whole number from 0 to 30.',
    },
  } as Field<number>),
} as const
