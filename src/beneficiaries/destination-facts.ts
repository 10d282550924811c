import { type Fact, text } from '../acts/facts.ts'
import { readPersonNames } from '../people/name-store.ts'
import { writeNumber } from '../platform/http/pages/write-values.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Words } from '../values/language.ts'
import { isOperatorCode, operatorNames } from '../values/operators.ts'
import type { BeneficiaryRow } from './beneficiary.ts'

// The facts of a destination that a person agrees to.

/** Writes a whole account in groups, as on a bank statement, or a whole phone number. */
export function writeAccount(account: string): string {
  return account.startsWith('+') ? writeNumber(account.replace('+225', '')) : account.replace(/(.{4})(?=.)/g, '$1 ')
}

const same = (value: string): Words => [value, value]

const nameOf = (operator: string): string => (isOperatorCode(operator) ? operatorNames[operator] : operator)

/** The whole account, so that the person agrees to this one and not to another with the same end. No operator: a bank account. */
export const accountFacts = {
  account: { name: ['Compte ou numéro', 'Account or number'], write: (account) => same(writeAccount(account)) },
  operator: { name: ['Opérateur', 'Operator'], write: (operator) => same(nameOf(operator)) },
  holder: text(['Au nom de', 'Holder']),
} as const satisfies Readonly<Record<string, Fact<string>>>

/** A destination by the end of its account. The id is signed too: two accounts may end alike. */
export type End = Pick<BeneficiaryRow, 'id' | 'operator' | 'last4'>

/** Writes a destination with only the end of its account: `Wave •• 2051`. */
export function writeEnd({ operator, last4 }: Pick<End, 'operator' | 'last4'>): Words {
  const [french, english] = operator === null ? (['compte bancaire', 'bank account'] as const) : same(nameOf(operator))
  return [`${french} ••\u00a0${last4}`, `${english} ••\u00a0${last4}`]
}

export function endFact(name: Words): Fact<End> {
  return { name, write: writeEnd }
}

export const endOf = ({ id, operator, last4 }: End): End => ({ id, operator, last4 })

/** Reads the first of two people: their name, which two may share, and their address. */
export async function readProposer(db: Db, email: string): Promise<string> {
  const name = (await readPersonNames(db, [email])).get(email)
  return name === undefined ? email : `${name}, ${email}`
}
