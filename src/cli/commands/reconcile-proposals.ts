import type { ActProposal } from '../../acts/proposal.ts'
import { decideOpening } from '../../reconciliation/open-account.ts'
import { actCommand } from '../act-command.ts'
import type { Command } from '../command.ts'

const decided = { answer: ({ id: proposal_id, status }: ActProposal) => ({ proposal_id, status }) }

export const commands: readonly Command[] = [
  actCommand(decideOpening.approve, decided),
  actCommand(decideOpening.refuse, decided),
]
