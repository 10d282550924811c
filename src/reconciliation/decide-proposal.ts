import { defineDecision } from '../acts/decision.ts'
import { optional, reasonField, requestedBy } from '../acts/facts.ts'
import { lapsingActs } from '../acts/lapse-acts.ts'
import type { ActProposal, ProposedAct } from '../acts/proposal.ts'
import { lockProposal, readProposal, writeActDecision } from '../acts/proposal-store.ts'
import { defineWithdrawal } from '../acts/withdraw-proposal.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { resolving } from './differences/decide-difference.ts'
import { opening } from './open-account.ts'
import { type ProposalKind, proposalFacts } from './proposal-kind.ts'
import { typing } from './type-lines.ts'
import { withdrawal } from './withdraw-file.ts'

const kinds: readonly ProposalKind[] = [opening, typing, withdrawal, resolving]

/** The acts about external accounts that a second person decides. */
export const reconciledActs: readonly ProposedAct[] = kinds.map(({ act }) => act)

const kindOf = ({ act }: Pick<ActProposal, 'act'>): ProposalKind => kinds.find((kind) => kind.act === act)!

const nothing = Object.fromEntries(Object.keys(proposalFacts).map((name) => [name, null])) as {
  readonly [Name in keyof typeof proposalFacts]: null
}

async function lock(tx: Tx, id: string): Promise<ActProposal | null> {
  const found = await readProposal(tx, id, reconciledActs)
  if (found === null) return null
  await kindOf(found).lock?.(tx, found)
  return lockProposal<object>(tx, id, found.act)
}

/** A second person carries out a proposal about an external account, or refuses it. */
export const decideProposal = defineDecision({
  names: { approve: 'reconcile.approve', refuse: 'reconcile.refuse' },
  id: 'rcp',
  noun: 'proposal',
  summaries: {
    approve: 'Carry out a proposal about external accounts; needs a person other than the proposer',
    refuse: 'Refuse a proposal about external accounts; nothing is booked',
  },
  title: ['Décider pour un compte', 'Decide about an account'],
  right: 'adjustments.manage',
  lock,
  load: (tx, proposal: ActProposal) => kindOf(proposal).load(tx, proposal),
  facts: { ...proposalFacts, requested_by: requestedBy },
  content: (proposal, beside) => ({
    ...nothing,
    ...kindOf(proposal).content(proposal, beside),
    requested_by: proposal.proposed_by,
  }),
  decided: writeActDecision,
  approve: (proposal, beside) => kindOf(proposal).approve(proposal, beside),
  refused: (proposal) => kindOf(proposal).refused(proposal).after,
  undo: (proposal) => kindOf(proposal).refused(proposal).effects,
  reason: optional(reasonField(['Pourquoi', 'Why'], { option: { name: 'reason' } })),
  refusals: Object.assign({}, ...kinds.map(({ refusals }) => refusals)),
})

/** The first person takes a proposal about an external account back. */
export const withdrawProposal = defineWithdrawal({
  name: 'external_account.withdraw',
  of: reconciledActs,
  id: 'rcp',
  noun: 'proposal',
  summary: 'Withdraw a proposal about an external account that one has made oneself; nothing is booked',
  right: 'adjustments.manage',
  undo: (proposal) => kindOf(proposal).ended?.(proposal, 'withdrawn_by_first_person') ?? [],
})

/** How proposals about external accounts lapse that nobody decided. */
export const lapsingReconciled = lapsingActs({
  prefix: 'rcp',
  lock,
  undo: (proposal) => kindOf(proposal).ended?.(proposal, 'time_ran_out') ?? [],
})
