import type { ActProposal } from '../../acts/proposal.ts'
import { decideProposal } from '../../reconciliation/decide-proposal.ts'
import { proposeWithdrawal } from '../../reconciliation/withdraw-file.ts'
import { actCommand } from '../act-command.ts'
import type { Command } from '../command.ts'

const decided = { answer: ({ id: proposal_id, status }: ActProposal) => ({ proposal_id, status }) }

export const commands: readonly Command[] = [
  actCommand(proposeWithdrawal, {
    details:
      'Another person approves with bandama reconcile approve. Lines that another file shows too stay, as that file shows them; the others are withdrawn. The same bytes ' +
      'can be imported again afterwards.',
    answer: ({ proposal_id, status }) => ({ proposal_id, status }),
  }),
  actCommand(decideProposal.approve, decided),
  actCommand(decideProposal.refuse, decided),
]
