import type { ActScreenDeps } from '../../console/acts/act-screen.ts'
import { decideProposal, reconciledActs, withdrawProposal } from '../../reconciliation/decide-proposal.ts'
import { proposalPaths } from '../desk/case-words.ts'
import { proposalScreens } from '../desk/proposal-screens.ts'

/** A proposal about an external account, on the page of its second person. */
export const accountProposalScreens = proposalScreens<ActScreenDeps>(
  { ...decideProposal, withdraw: withdrawProposal },
  {
    acts: reconciledActs,
    path: proposalPaths['external_account.open'],
    operation: 'deskAccountProposal',
    summary: 'Read a proposal about an external account that waits for a second person',
    otherRole: ['La finance décide.', 'Finance decides.'],
  },
)
