import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chargeChecks } from '../../src/app/audit/charge-checks.ts'
import { audit } from '../../src/app/audit.ts'
import type { Seed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { type Harm, testHarms } from './harm.ts'
import { confirmAll } from './keyed-requests.ts'
import { type LiveInstallation, openLiveInstallation, readOpenOrders } from './live-installation.ts'

// These tests break each check of the audit about charges, and about the money that orders moved at operators, once.

const first = { between: (least: number) => least, pick: (list: readonly unknown[]) => list[0] } as unknown as Seed

let live: LiveInstallation

before(async () => {
  live = await openLiveInstallation(first, 1)
  live.twin.script({ outcome: 'succeed' })
  const service = await live.start()
  await confirmAll(service.address, [live.newPayment(), live.newPayout(), live.newPayment()])
  await waitFor(async () => (await readOpenOrders(live.sql)).length === 0, { deadline_ms: 60_000 })
  // With the service stopped, only these tests change the rows below.
  await service.stop()
})
after(() => live[Symbol.asyncDispose]())

test('the audit passes undamaged books', async () => {
  const { checks } = await audit(live.sql)
  assert.deepEqual(
    checks.filter(({ wrong }) => wrong > 0),
    [],
  )
})

const moved = 'every instruction that was confirmed through a connector moved its amount there once, and no other did'
const charged = 'every charge of an operator is booked once, with its amount and its operator, and no other charge is'
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
    (tx) => tx`update ledger_entries set account = 'operator:moov_ci'
                where operation = 'operator_charged' and account like 'operator:%'
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

testHarms(() => live.sql, chargeChecks, ['connector_movements', 'instructions', 'ledger_entries'], harms)
