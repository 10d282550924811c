import { SIMULATOR } from '../external-accounts/wallet-of.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { accountsOfMerchant, heldIn } from './accounts.ts'
import * as store from './store.ts'

/** Opens the accounts of a new merchant, by its number, at zero in test and live mode. */
export const openAccounts = defineEffect<number>('account', (tx, merchants) =>
  store.openAccounts(
    tx,
    merchants.flatMap((merchant_id) =>
      [false, true].flatMap((livemode) =>
        // The simulator takes most orders of test mode.
        [...accountsOfMerchant, ...(livemode ? [] : [heldIn(SIMULATOR)])].map((account) => ({
          ...{ merchant_id, livemode, account },
        })),
      ),
    ),
  ),
)
