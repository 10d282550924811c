import type { AnyField, Field, Fields } from '../../acts/facts.ts'
import { BANK, type ExternalAccount } from '../../external-accounts/external-account.ts'
import type { Words } from '../../values/language.ts'

type Choice = { readonly value: string; readonly words: Words }

/** The external accounts of a mode as the choices of a field, `bank` first. */
export function choicesOf(accounts: readonly ExternalAccount[]): Choice[] {
  const words = (code: string): Words => (code === BANK ? ['Banque', 'Bank'] : [code, code])
  return [...accounts]
    .sort((one, other) => Number(other.code === BANK) - Number(one.code === BANK))
    .map(({ code }) => ({ value: code, words: words(code) }))
}

/** The field as a list of choices, for a form that has read them. */
export function withChoices<Value>(field: Field<Value>, choices: readonly Choice[]): Field<Value> {
  return { ...field, form: { ...field.form, kind: 'choice', choices } }
}

/** The fields with their bank account as a list, or without it where there is only one to choose. */
export function withBanks(fields: Fields, accounts: readonly ExternalAccount[]): Fields {
  const { account, ...rest } = fields as Fields & { account: AnyField }
  const banks = accounts.filter(({ kind }) => kind !== 'wallet')
  return banks.length < 2 ? rest : { ...rest, account: withChoices(account, choicesOf(banks)) }
}
