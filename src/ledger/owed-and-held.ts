import { BANK } from '../external-accounts/external-account.ts'
import type { Db } from '../platform/postgres/database.ts'
import { accountsOfHouse, CHARGES, heldCode } from './accounts.ts'
import * as store from './store.ts'

/** The money of all merchants and of the house in one mode, in francs. `held` sums to `owed` plus `earned` less `charged`, plus `own`. */
export type OwedAndHeld = {
  /** Owed to merchants: in their balances, and in flight. */
  owed: { available: number; transfer: number; payouts_in_flight: number; settlements_in_flight: number }
  /** Held for us in each external account, by its code. Negative when more has left than came in. */
  held: readonly { holder: string; amount: number }[]
  /** The fees that the service earned. `charged`: the operators' charges that it bears. */
  earned: number
  charged: number
  /** The house's own accounts together. */
  own: number
}

/** Sums the accounts of all merchants in one mode, in one statement. For display only: it takes no locks. */
export async function readOwedAndHeld(db: Db, livemode: boolean): Promise<OwedAndHeld> {
  const sums = await store.sumBalances(db, livemode)
  const sumOf = (account: string) => sums.find((sum) => sum.account === account)?.amount ?? 0
  // Money that others hold for us is a debit in the books, so the sign is turned.
  const held = sums.flatMap(({ account, amount }) => {
    const holder = heldCode(account)
    if (holder === null || (amount === 0 && holder !== BANK)) return []
    return [{ holder, amount: amount === 0 ? 0 : -amount }]
  })
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
    own: accountsOfHouse.reduce((sum, account) => sum + sumOf(account), 0),
  }
}
