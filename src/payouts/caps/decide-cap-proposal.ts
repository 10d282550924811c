import { defineDecision } from '../../acts/decision.ts'
import { francs, merchantFact, oneOf, reasonFact, reasonField, requestedBy } from '../../acts/facts.ts'
import { defineLapse } from '../../acts/lapse-proposals.ts'
import { capWords } from '../../console/words.ts'
import type { CapProposal } from './cap-proposal.ts'
import { lockProposal, writeCapDecision } from './proposal-store.ts'
import { inForce, type UsualLimits } from './read-caps.ts'
import { readOwnCaps, setCap } from './set-caps.ts'

/** The reason of a refusal. The merchant reads it. */
export const capRefusal = reasonField(['Pourquoi', 'Why'], {
  hint: ['Le marchand le lit.', 'The merchant reads it.'],
  fault: ['Dites pourquoi : le marchand le lit.', 'Say why: the merchant reads it.'],
  option: { name: 'reason' },
})

/** A staff member confirms a higher cap, which applies from the next payout on, or refuses it with a reason for the merchant. */
export const decideCapProposal = defineDecision({
  names: { approve: 'caps.approve', refuse: 'caps.refuse' },
  id: 'cap',
  noun: 'higher cap',
  summaries: {
    approve: 'Confirm a higher cap, from the next operation on; needs a person other than the proposer',
    refuse: 'Refuse a higher cap; its merchant reads the reason',
  },
  title: ['Relever un plafond', 'Raise a cap'],
  right: 'caps.confirm',
  lock: lockProposal,
  load: async (tx, row: CapProposal, { payoutCaps }: { payoutCaps: UsualLimits }) => {
    const own = await readOwnCaps(tx, row)
    return { own, in_force: inForce(own, payoutCaps) }
  },
  facts: {
    amount: francs(['Montant', 'Amount']),
    merchant: merchantFact,
    cap: oneOf(['Plafond', 'Cap'], capWords),
    cap_today: francs(['Plafond aujourd’hui', 'Cap today']),
    reason: reasonFact,
    requested_by: requestedBy,
  },
  content({ amount, cap, reason, proposed_by: requested_by }, { in_force }) {
    return { amount, cap, cap_today: in_force[cap], reason, requested_by }
  },
  note: ({ cap }) =>
    cap === 'payment'
      ? ['Il vaut dans une seconde, en réel et en test.', 'It holds within a second, in live and in test mode.']
      : ['Il vaut dès le prochain envoi.', 'It holds from the next payout on.'],
  decided: writeCapDecision,
  approve({ merchant_id, livemode, cap, amount }, { own }) {
    return { effects: [setCap({ merchant_id, livemode, cap, amount })], before: own, after: { ...own, [cap]: amount } }
  },
  refused: ({ cap, amount }) => ({ [cap]: amount }),
  reason: capRefusal,
  refusals: {},
})

/** How a higher cap lapses that nobody confirmed. The cap stays. */
export const lapsingCaps = defineLapse<CapProposal>({
  table: 'cap_proposals',
  proposedAs: () => 'caps.propose',
  lock: lockProposal,
  write: writeCapDecision,
})
