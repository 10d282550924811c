import { chargeChecks } from '../../../src/app/audit/charge-checks.ts'
import type { Installation } from '../../harness/installation.ts'
import { waitFor } from '../../harness/wait-for.ts'
import { confirmAll } from '../keyed-requests.ts'
import { openLiveMode } from '../live-installation.ts'
import type { Harm, Harmed } from './harm.ts'

// These tests break each check of the audit about charges, and about the money that orders moved at operators, once.

const first = { between: (least: number) => least, pick: <Item>(list: readonly Item[]) => list[0]! }

/** Operators of live mode, which charge for what they carry out. */
type Charged = AsyncDisposable & {
  /** Makes payments and payouts through them. */
  live(): Promise<void>
}

/** Connects the operators. @param origin the address of the service, which starts after this */
export async function openCharged(installation: Installation, origin: string): Promise<Charged> {
  const mode = await openLiveMode(installation, { origin, seed: first, merchants: 1 })
  mode.twin.script({ outcome: 'succeed' })
  const { sql } = installation.db
  return {
    async live() {
      await confirmAll(origin, [mode.newPayment(), mode.newPayout(), mode.newPayment()])
      const open = () => sql`select from instructions where livemode and state <> 'confirmed'`
      const all = () => sql`select from instructions where livemode`
      await waitFor(async () => (await all()).length === 3 && (await open()).length === 0)
    },
    [Symbol.asyncDispose]: () => mode[Symbol.asyncDispose](),
  }
}

const moved = 'every instruction that was confirmed through a connector moved its amount there once, and no other did'
const charged =
  'every charge of an operator is booked once, with its amount and in the wallet of its order, and no other charge is'
const corrected = 'every correction of a charge comes after the charge, at the same connector'

const harms: [string, Harm][] = [
  [moved, (tx) => tx`delete from connector_movements where direction = 'payout'`],
  [moved, (tx) => tx`update connector_movements set amount = amount + 1 where direction = 'payout'`],
  [moved, (tx) => tx`update connector_movements set connector = 'other' where direction = 'payout'`],
  [moved, (tx) => tx`update instructions set state = 'refused' where direction = 'collect'`],
  [charged, (tx) => tx`update connector_movements set charge = charge + 1 where direction = 'payout'`],
  [
    charged,
    (tx) => tx`delete from ledger_entries where operation = 'operator_charged' and account = 'operator_charges'`,
  ],
  [
    charged,
    (tx) => tx`update ledger_entries set account = 'held:elsewhere'
                where operation = 'operator_charged' and account like 'held:%'
                  and subject_id = (select min(subject_id) from ledger_entries where operation = 'operator_charged')`,
  ],
  [
    corrected,
    (tx) => tx`
      insert into connector_movements
      select merchant_id, livemode, subject_id, 2, 'other', operator, direction, 0, 1, true, sent_at, moved_at
        from connector_movements`,
  ],
]

const guarded = ['connector_movements', 'instructions', 'ledger_entries']

export const charges: Harmed = { checks: chargeChecks, guarded, harms }
