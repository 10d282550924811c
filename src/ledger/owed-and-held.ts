import type { Db } from '../platform/postgres/database.ts'
import { CHARGES } from './accounts.ts'
import * as store from './store.ts'

/** The money of all merchants in one mode, in francs. Owed, earned and charged together are what is held. */
export type OwedAndHeld = {
  /** To merchants: in their balances, and on its way. */
  owed: { available: number; transfer: number; payouts_in_flight: number; settlements_in_flight: number }
  /** By each operator and by the bank, for us. Below zero: more has left than came. */
  held: readonly { holder: string; amount: number }[]
  /** The fees of the service, and the charges of operators that it bears. */
  earned: number
  charged: number
}

/** Adds up the accounts of all merchants in one mode, as they stand in one statement. To be shown, not to decide on. */
export async function readOwedAndHeld(db: Db, livemode: boolean): Promise<OwedAndHeld> {
  const sums = await store.sumBalances(db, livemode)
  const of = (account: string) => sums.find((one) => one.account === account)?.amount ?? 0
  const held = sums
    .filter(({ account, amount }) => account === 'bank' || (account.startsWith('operator:') && amount !== 0))
    // Money that others hold for us stands in the books as a debit.
    .map(({ account, amount }) => ({ holder: account.replace('operator:', ''), amount: amount === 0 ? 0 : -amount }))
  return {
    owed: {
      available: of('available'),
      transfer: of('transfer'),
      payouts_in_flight: of('payouts_in_flight'),
      settlements_in_flight: of('settlements_in_flight'),
    },
    held,
    earned: of('fees'),
    charged: of(CHARGES) === 0 ? 0 : -of(CHARGES),
  }
}
