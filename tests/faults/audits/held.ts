import { heldChecks } from '../../../src/app/audit/held-checks.ts'
import type { Harm, Harmed } from './harm.ts'

// These tests break each check of the audit about money in external accounts once.

const moved = 'every order moved its money in the wallet of its connector'
const refunded = 'every refund took its money from one wallet, and gave it back to the same one if it failed'
const owned = 'every account of the ledger belongs to a merchant, or to the house'
const opened = 'every account that two people opened is booked once, with the difference to the books, and no other is'
const known = 'every account of held money is about an external account of its mode'

const harms: [string, Harm][] = [
  [
    moved,
    (tx) => tx`update ledger_entries set account = 'held:elsewhere'
                where operation = 'collection_confirmed' and account like 'held:%'
                  and subject_id = (select min(subject_id) from ledger_entries where operation = 'collection_confirmed')`,
  ],
  [moved, (tx) => tx`update instructions set connector = 'simulator' where livemode and direction = 'payout'`],
  [refunded, (tx) => tx`update refunds set wallet = 'bank'`],
  [owned, (tx) => tx`insert into accounts (merchant_id, livemode, account) values (999999999, false, 'held:bank')`],
  [
    opened,
    (tx) => tx`
      insert into account_openings (livemode, account, day, balance, unexplained, proposal_id)
      values (false, 'bank', '2026-01-31', 5, 5, 'rcp_of_nobody')`,
  ],
  [known, (tx) => tx`insert into accounts (merchant_id, livemode, account) values (0, false, 'held:nowhere')`],
]

const guarded = ['accounts', 'instructions', 'ledger_entries', 'refunds']

export const held: Harmed = { checks: heldChecks, guarded, harms }
