import type { ExternalAccount } from './external-account.ts'

/** The facts of an order that decide its wallet. `connector`: null for one that ends by a scenario of the simulator. */
export type OrderOfWallet = {
  readonly livemode: boolean
  readonly connector: string | null
  readonly direction: 'collect' | 'payout' | 'refund'
  readonly created_at: Date
}

/** The columns of a wallet that decide which orders it takes. */
export type Wallet = Pick<ExternalAccount, 'livemode' | 'code' | 'connector' | 'directions' | 'orders_from'>

/** The connector of test orders that no operator is asked about, and the code of its wallet. */
export const SIMULATOR = 'simulator'

/**
 * Returns the code of the wallet in which an order's money is: that of its connector for its direction, if the order began after the wallet, and
 * otherwise the connector's wallet for everything else. The same order has the same wallet at any time, because wallets are never changed.
 * @param wallets those of the connector, or all
 * @throws when the connector has none, which is a defect: it is opened with the connector
 */
export function walletOf(
  wallets: readonly Wallet[],
  { livemode, connector, direction, created_at }: OrderOfWallet,
): string {
  const own = wallets.filter((one) => one.livemode === livemode && one.connector === (connector ?? SIMULATOR))
  const named = own.find((one) => one.directions.includes(direction) && one.orders_from <= created_at)
  const found = named ?? own.find(({ directions }) => directions.length === 0)
  if (found === undefined) throw new Error(`The connector ${connector ?? SIMULATOR} has no wallet.`)
  return found.code
}
