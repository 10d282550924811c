import { refuse } from '../acts/act.ts'
import { defineDecision } from '../acts/decision.ts'
import { requestedBy } from '../acts/facts.ts'
import type { ActDeps } from '../acts/perform.ts'
import type { ActProposal } from '../acts/proposal.ts'
import { lockProposal, writeActDecision } from '../acts/proposal-store.ts'
import { defineWithdrawal } from '../acts/withdraw-proposal.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import { tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { acceptRequest, leavesWaiting, requestGone, requestWaits } from './accept-request.ts'
import type { ProposedRefund } from './create-refund.ts'
import { lockRefundable, makeRefund, type RefundReads, refundContent } from './make-refund.ts'
import { refundFacts } from './refund-fields.ts'
import { refundRefusals } from './refund-refusals.ts'
import { lockRequest, readWaitingRequest } from './refund-request.ts'

/** A second person makes a refund above the limit of one, or refuses it. A refund that cannot be made now waits on. */
export const decideProposedRefund = defineDecision({
  names: { approve: 'refund.approve', refuse: 'refund.refuse' },
  id: 'prp',
  noun: 'proposed refund',
  summaries: {
    approve: 'Make a refund that waits for a second person; needs a person other than the proposer',
    refuse: 'Refuse a refund that waits for a second person; nothing is refunded',
  },
  title: ['Rembourser un paiement', 'Refund a payment'],
  right: 'refunds.manage',
  lock: (tx, id) => lockProposal<ProposedRefund>(tx, id, 'refund.create'),
  async load(tx, row: ActProposal<ProposedRefund>, { clock, ...reads }: RefundReads & ActDeps) {
    const about = { ...tenantOf(row), payment_id: row.subject! }
    const named = row.typed.request ?? null
    const request = named === null ? null : await lockRequest(tx, named)
    const has = await lockRefundable(tx, about, { ...row.typed, keyOf: () => row.key! }, reads)
    const now = clock.now()
    const asked = await readWaitingRequest(tx, about)
    return { ...has, request, asked, id: newId('rfd', now.getTime()), now }
  },
  facts: { ...refundFacts, requested_by: requestedBy },
  content: ({ typed, proposed_by: requested_by }, has) => ({ ...refundContent(has, typed), requested_by }),
  decided: writeActDecision,
  approve({ typed, amount, subject, proposed_by: requested_by }, { id, now, ...has }, by_second) {
    if (has.before !== null) return refuse('made_before', { id: has.before.id })
    const { request, asked } = has
    if (leavesWaiting(asked, typed.request ?? null)) return refuse('request_waits', { id: asked.id })
    if (request !== null && !isIndependentApprover(request.asked_by, by_second)) return refuse('asked_yourself')
    const made = makeRefund(has, typed, { requested_by, id, now })
    if (made.kind === 'refused') return made
    // All that is left is another sum than it was.
    if (made.refund.amount !== amount) return refuse('rest_changed', { sum: writeAmount(made.refund.amount) })
    const by = { by: requested_by, payment_id: subject!, refund_id: id, now }
    const accepted = acceptRequest(request, typed.request ?? null, by)
    if (accepted === null) return refuse('request_gone')
    return { effects: [...made.effects, ...accepted], row: { outcome: id }, after: { refund_id: id, ...made.after } }
  },
  refused: ({ subject: payment_id, amount }) => ({ payment_id, amount }),
  refusals: {
    ...refundRefusals,
    request_gone: requestGone,
    request_waits: requestWaits,
    asked_yourself: {
      words: [
        'Vous avez demandé ce remboursement comme marchand : une autre personne décide.',
        'You asked for this refund as the merchant: another person decides.',
      ],
    },
    made_before: {
      words: [
        'Ce remboursement est déjà fait. Refusez cette demande.',
        'This refund is made already. Refuse this one.',
      ],
      command: 'This refund was made meanwhile as {id}. Refuse the proposal.',
    },
    rest_changed: {
      words: [
        'Il reste maintenant {sum} à rendre, et non la somme proposée. Refusez cette demande.',
        'Now {sum} are left to refund, and not the sum that was proposed. Refuse this one.',
      ],
    },
  },
})

/** The first person takes a refund back that waits for a second one. */
export const withdrawProposedRefund = defineWithdrawal({
  name: 'refund.withdraw',
  of: ['refund.create'],
  noun: 'proposed refund',
  summary: 'Withdraw a refund that one has proposed oneself; nothing is refunded',
  right: 'refunds.manage',
})
