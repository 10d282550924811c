import { accountsIn, bareAccount, foldName, namedIn } from './line-keys.ts'
import type { Known } from './line-match.ts'
import type { BankLine } from './read-lines.ts'

/**
 * Removes our own account from the lines. An account is ours if it is the same on all lines although they name several settlements or
 * holders, and if no settlement goes there.
 * @returns null when the account is not ours
 */
export function withoutOurAccount(lines: readonly BankLine[], { payable }: Known): BankLine[] | null {
  const accounts = new Set(lines.map(({ account }) => bareAccount(account)))
  const [account] = accounts
  if (accounts.size !== 1 || account === '') return null
  const ids = new Set(lines.flatMap(namedIn))
  const holders = new Set(lines.map(({ holder }) => foldName(holder)).filter((name) => name !== ''))
  if (ids.size < 2 && holders.size < 2) return null
  const theirs = new Set(payable.map((one) => bareAccount(one.account ?? '')))
  if (accountsIn(lines[0]!).some((one) => theirs.has(one))) return null
  return lines.map((line) => ({ ...line, account: '' }))
}
