import type { Db } from '../platform/postgres/database.ts'
import { CHARGES } from './accounts.ts'
import * as store from './store.ts'

/** The money of all merchants in one mode, in francs. `held` sums to `owed` plus `earned` less `charged`. */
export type OwedAndHeld = {
  /** Owed to merchants: in their balances, and in flight. */
  owed: { available: number; transfer: number; payouts_in_flight: number; settlements_in_flight: number }
  /** Held for us by each operator and by the bank. Negative when more has left than came in. */
  held: readonly { holder: string; amount: number }[]
  /** The fees that the service earned. `charged`: the operators' charges that it bears. */
  earned: number
  charged: number
}

/** Sums the accounts of all merchants in one mode, in one statement. For display only: it takes no locks. */
export async function readOwedAndHeld(db: Db, livemode: boolean): Promise<OwedAndHeld> {
  const sums = await store.sumBalances(db, livemode)
  const sumOf = (account: string) => sums.find((sum) => sum.account === account)?.amount ?? 0
  const held = sums
    .filter(({ account, amount }) => account === 'bank' || (account.startsWith('operator:') && amount !== 0))
    // Money that others hold for us is a debit in the books, so the sign is turned.
    .map(({ account, amount }) => ({ holder: account.replace('operator:', ''), amount: amount === 0 ? 0 : -amount }))
  return {
    owed: {
      available: sumOf('available'),
      transfer: sumOf('transfer'),
      payouts_in_flight: sumOf('payouts_in_flight'),
      settlements_in_flight: sumOf('settlements_in_flight'),
    },
    held,
    earned: sumOf('fees'),
    charged: sumOf(CHARGES) === 0 ? 0 : -sumOf(CHARGES),
  }
}
