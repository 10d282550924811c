import type { RefusalWords } from '../acts/act.ts'
import { type Field, text } from '../acts/facts.ts'
import type { Db } from '../platform/postgres/database.ts'
import { BANK } from './external-account.ts'
import { readAccount } from './store.ts'

const bankFact = text(['Compte en banque', 'Bank account'])

/** The bank account of a movement. Nothing typed: the account `bank`. */
export const bankField: Field<string> = {
  ...bankFact,
  read: (typed) => (typed === '' ? BANK : /^[a-z][a-z0-9_-]{0,39}$/.test(typed) ? typed : undefined),
  form: { label: bankFact.name, kind: 'line', longest: 40, fault: ['Choisissez un compte.', 'Choose an account.'] },
  option: {
    ...{
      value: 'CODE',
      says: 'the bank account, as external-account list shows it; otherwise bank',
      sample: 'ecobank',
    },
    ...{ must: 'names an account of external-account list.', absent: BANK },
  },
}

/** The account as a person reads it before they agree. Null for the usual one, which says nothing. */
export const bankToRead = (account: string): string | null => (account === BANK ? null : account)

/** Whether a mode has this account at a bank. */
export async function isBankAccount(db: Db, livemode: boolean, code: string): Promise<boolean> {
  if (code === BANK) return true
  const account = await readAccount(db, { livemode, code })
  return account !== null && account.kind !== 'wallet'
}

/** Whether a mode has this account, of any kind. */
export async function isAccount(db: Db, livemode: boolean, code: string): Promise<boolean> {
  return code === BANK || (await readAccount(db, { livemode, code })) !== null
}

/** The refusal of an account that is none at a bank. */
export const noBankAccount: RefusalWords = {
  at: 'account',
  words: ['Ce mode n’a pas ce compte en banque.', 'This mode has no such bank account.'],
  command: 'This mode has no bank account {account}. bandama external-account list shows them.',
}
