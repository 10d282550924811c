import { TableRefused } from './table-refused.ts'

/** The facts that a bank's message states beside its rows. A reader fills them while it reads. */
export type StatementFacts = {
  /** The one account of its parts, as written. Null: not stated. */
  account: string | null
  /** The one currency of its balances. Null: not stated. */
  currency: string | null
  /** The first and last booked balances, as signed numbers with a point. Null: not stated. */
  opening: string | null
  closing: string | null
}

export const noFacts = (): StatementFacts => ({ account: null, currency: null, opening: null, closing: null })

/** @throws TableRefused at the second account, so that a file of a million accounts keeps one */
export function stateAccount(facts: StatementFacts, account: string): void {
  if (facts.account !== null && facts.account !== account) throw new TableRefused('other_account')
  facts.account = account
}

/** @throws TableRefused at the second currency */
export function stateCurrency(facts: StatementFacts, currency: string): void {
  if (facts.currency !== null && facts.currency !== currency) throw new TableRefused('other_currency')
  facts.currency = currency
}
