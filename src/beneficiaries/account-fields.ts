import { type Field, lineField, text } from '../acts/facts.ts'
import { otherCountryOf } from '../values/calling-codes.ts'
import { otherCountryWords } from '../values/country-words.ts'
import { Msisdn } from '../values/msisdn.ts'
import { isOperatorCode, type OperatorCode, operatorCodes } from '../values/operators.ts'
import { readLine } from '../values/read-typed.ts'
import { holderNameIn } from './beneficiary.ts'
import { accountFacts } from './destination-facts.ts'
import { Iban } from './iban.ts'

// The fields of an account or a number, and of its holder. An error does not repeat the typed text, which may be an account with one wrong digit.

/** A mobile number, read as `+225…`. */
export const msisdnField: Field<string> = {
  ...accountFacts.account,
  read: (typed) => Msisdn.parse(typed)?.e164,
  form: {
    label: ['Numéro', 'Number'],
    kind: 'line',
    fault(typed) {
      const country = otherCountryOf(typed)
      if (country !== null) return otherCountryWords(country)
      return ['Ce numéro ne se lit pas : dix chiffres.', 'This number cannot be read: ten digits.']
    },
  },
  option: {
    value: 'NUMBER',
    says: 'the number of a wallet, with --operator',
    must: "is no mobile number of Côte d'Ivoire.",
  },
}

/** The operator of a mobile number. */
export const operatorField: Field<OperatorCode> = {
  ...accountFacts.operator,
  read: (typed) => (isOperatorCode(typed) ? typed : undefined),
  form: {
    label: ['Opérateur', 'Operator'],
    kind: 'line',
    fault: ['Choisissez l’opérateur.', 'Choose the operator.'],
  },
  option: { says: 'the operator of the wallet', must: `must be one of ${operatorCodes.join(', ')}.` },
}

/** A bank account, read as its 28 letters and digits. */
export const ibanField: Field<string> = {
  ...accountFacts.account,
  read: (typed) => Iban.parse(typed)?.text,
  form: {
    label: ['IBAN', 'IBAN'],
    kind: 'line',
    fault: [
      'Cet IBAN ne se lit pas : il commence par CI et a 28 lettres et chiffres.',
      'This IBAN cannot be read: it begins with CI and has 28 letters and digits.',
    ],
  },
  option: {
    value: 'IBAN',
    says: "an account at a bank of Côte d'Ivoire",
    must: "is no account of a bank of Côte d'Ivoire.",
  },
}

/** The name of the holder, as the bank or the operator writes it. */
export const holderField: Field<string> = {
  ...lineField(text(['Au nom de', 'Holder']), {
    label: ['Au nom de', 'Holder'],
    longest: 200,
    fault: ['Un nom a 2 à 200 lettres.', 'A name has 2 to 200 letters.'],
    option: { name: 'name', says: 'the holder, 2 to 200 characters', must: 'has 2 to 200 characters.' },
  }),
  read: (typed) => (readLine(typed, 200) === null ? undefined : (holderNameIn(typed) ?? undefined)),
}
