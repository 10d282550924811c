import { type Fact, type Field, optional, text } from '../acts/facts.ts'
import type { ExternalAccount } from '../external-accounts/external-account.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { isDay } from '../values/period.ts'
import { proposalFacts } from './proposal-kind.ts'

/** The code of an external account, which may not exist. */
export const accountField: Field<string> = {
  ...proposalFacts.account,
  read: (typed) => (/^[a-z][a-z0-9_-]{0,39}$/.test(typed) ? typed : undefined),
  form: {
    label: proposalFacts.account.name,
    kind: 'line',
    longest: 40,
    fault: ['Choisissez un compte.', 'Choose an account.'],
  },
  option: {
    value: 'C',
    says: 'the account, as external-account list shows it',
    sample: 'mtn-main',
    must: 'names an account.',
  },
}

export const dayField = (fact: Fact<string>, says: string): Field<string> => ({
  ...fact,
  read: (typed) => (isDay(typed) ? typed : undefined),
  form: { label: fact.name, kind: 'day', fault: ['Choisissez un jour.', 'Choose a day.'] },
  option: {
    value: 'D',
    says,
    sample: '2026-12-31',
    must: 'must be a day such as 2026-12-31.',
  },
})

/** A balance in francs, which may be negative. */
export const balanceField = (fact: Fact<number>, says: string): Field<number> => ({
  ...fact,
  read: (typed) => (/^-?[0-9]{1,13}$/.test(typed) && Math.abs(Number(typed)) <= AMOUNT_MAX ? Number(typed) : undefined),
  form: {
    label: fact.name,
    kind: 'line',
    longest: 15,
    fault: ['Écrivez le solde en francs.', 'Write the balance in francs.'],
  },
  option: {
    value: 'N',
    says,
    sample: '1250000',
    must: 'must be a whole number of francs.',
  },
})

/** The mode of the account. Null: the one that has it, live before test. */
export const modeField: Field<string | null> = optional({
  ...text(['Mode', 'Mode']),
  read: (typed) => (typed === 'live' || typed === 'test' ? typed : undefined),
  form: { label: ['Mode', 'Mode'], kind: 'line', fault: ['Choisissez le mode.', 'Choose the mode.'] },
  option: {
    says: 'its mode; otherwise live, or test for an account that live mode lacks',
    choices: ['test', 'live'],
    must: 'must be test or live.',
  },
} as Field<string>)

/** The account of a code, in the mode that was typed or the one that has it. Null: there is none. */
export const accountIn = (accounts: readonly ExternalAccount[], code: string, mode: string | null) =>
  accounts
    .filter((one) => one.code === code && (mode === null || one.livemode === (mode === 'live')))
    .sort((one, other) => Number(other.livemode) - Number(one.livemode))[0] ?? null
