import { BANK } from '../external-accounts/external-account.ts'
import { findWalletOf } from '../external-accounts/store.ts'
import { type AnomalyRow, leftConnector } from '../operators/doubts/anomaly-store.ts'
import type { Instruction } from '../operators/instruction.ts'
import type { Db } from '../platform/postgres/database.ts'

/**
 * Returns the external account that an anomaly is about: the wallet of its order, at the connector that the order has left if that one reports it, or the
 * wallet of the connector whose callback named an unknown reference.
 * Without either, as for a connector of which nobody knows any more, it is the account `bank`, as the page shows before two people decide.
 */
export async function walletOfAnomaly(
  db: Db,
  anomaly: Pick<AnomalyRow, 'livemode' | 'operator' | 'opened_at' | 'kind' | 'fact' | 'evidence'>,
  subject: Instruction | null,
): Promise<string> {
  const { livemode, operator, opened_at } = anomaly
  const carried = subject && { ...subject, connector: leftConnector(anomaly, subject) ?? subject.connector }
  const order = carried ?? { livemode, connector: operator ?? '', direction: 'collect', created_at: opened_at }
  return (await findWalletOf(db, order)) ?? BANK
}
