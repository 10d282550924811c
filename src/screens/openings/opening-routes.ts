import type { ActScreenDeps } from '../../console/acts/act-screen.ts'
import { decideOpening, withdrawOpening } from '../../reconciliation/open-account.ts'
import { proposalPaths } from '../desk/case-words.ts'
import { proposalScreens } from '../desk/proposal-screens.ts'

/** The opening of an external account, on the page of its second person. */
export const openingScreens = proposalScreens<ActScreenDeps>(
  { ...decideOpening, withdraw: withdrawOpening },
  {
    act: 'external_account.open',
    path: proposalPaths['external_account.open'],
    operation: 'deskProposedOpening',
    summary: 'Read the opening of an external account that waits for a second person',
    otherRole: ['La finance décide.', 'Finance decides.'],
  },
)
