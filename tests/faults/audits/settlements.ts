import { settlementChecks } from '../../../src/app/audit/settlement-checks.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { actor } from '../../harness/actor.ts'
import type { Installation } from '../../harness/installation.ts'
import { paySettlement, rejectSettlement, validateSettlement } from '../../harness/settlements.ts'
import { idOf } from '../payout-merchant.ts'
import { newSettlementMerchant, settlement } from '../settlement-merchant.ts'
import type { Harm, Harmed } from './harm.ts'

// These tests break each check of the audit about settlements once.

/** Settlements in every state. */
export async function liveSettlements(installation: Installation): Promise<void> {
  const { sql } = installation.db
  const merchant = await newSettlementMerchant(installation, { available: 30_000 })
  const ids: string[] = []
  for (let at = 0; at < 5; at += 1) ids.push(idOf(await installation.ask(settlement(merchant, 5_000))))
  const deps = { sql, clock: createClock() }
  for (const id of ids.slice(0, 3)) await validateSettlement(deps, id, actor('awa'))
  await paySettlement(deps, ids[0]!, actor('issa'), 'VIR 1')
  await rejectSettlement(deps, ids[1]!, actor('issa'), null)
  await rejectSettlement(deps, ids[3]!, actor('issa'), null)
}

/** The tables whose triggers would refuse these changes. */
const guarded = ['ledger_entries', 'ledger_transactions', 'accounts', 'settlements', 'settlement_transitions_log']

/** The same, with the constraints off that would refuse the change. */
const withoutConstraints = ([check, harm]: [string, Harm]): [string, Harm] => [
  check,
  async (tx) => {
    await tx`alter table settlements drop constraint settlements_two_people, drop constraint settlements_two_people_compared,
               drop constraint settlements_stand,
               drop constraint settlements_complete`
    await harm(tx)
  },
]

const [taken, ended, inFlight, stands, people] = [
  'every settlement debited its amount from the available balance once, and nothing else did',
  'every settlement that ended is booked once, according to its status, and no other settlement is',
  'settlements_in_flight is the sum of the settlements that have not ended',
  'the status of every settlement is that of its last transition',
  'the people whom a settlement names made its transitions, and different people validated and paid it',
] as const

/** The harm and the check that must find it. Other checks may find it too. */
const harms: [string, Harm][] = [
  [taken, (tx) => tx`update settlements set amount = amount + 1 where status = 'validated'`],
  [
    taken,
    (tx) => tx`update ledger_entries set account = 'fees', sequence = 99
                where operation = 'settlement_requested' and account = 'available' and sequence = 2`,
  ],
  [ended, (tx) => tx`update settlements set status = 'rejected' where status = 'paid'`],
  [ended, (tx) => tx`update settlements set status = 'validated' where status = 'rejected'`],
  [ended, (tx) => tx`update settlements set amount = amount - 1 where status = 'paid'`],
  [inFlight, (tx) => tx`update settlements set status = 'rejected' where status = 'pending_validation'`],
  [inFlight, (tx) => tx`update accounts set balance = balance + 1 where account = 'settlements_in_flight'`],
  [stands, (tx) => tx`delete from settlement_transitions_log where number = 2`],
  [
    stands,
    (tx) => tx`update settlements set transition_count = transition_count + 1 where status = 'pending_validation'`,
  ],
  [people, (tx) => tx`update settlements set validated_by = 'fatou' where status = 'paid'`],
  [
    people,
    async (tx) => {
      await tx`update settlements set paid_by = validated_by where status = 'paid'`
      await tx`update settlement_transitions_log set transitioned_by = 'awa' where to_status = 'paid'`
    },
  ],
]

export const settlements: Harmed = { checks: settlementChecks, guarded, harms: harms.map(withoutConstraints) }
