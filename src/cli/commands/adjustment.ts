import { viewAdjustment } from '../../adjustments/adjustment.ts'
import { decideAdjustment } from '../../adjustments/decide-adjustment.ts'
import { adjustmentAnswer, proposeAdjustment } from '../../adjustments/propose-adjustment.ts'
import { readAdjustments } from '../../adjustments/store.ts'
import { actCommand } from '../act-command.ts'
import { type Command, defineCommand, readTenant } from '../command.ts'

const adjustmentList = defineCommand({
  name: 'adjustment list',
  summary: 'Show the adjustments of a merchant, newest first',
  options: { merchant: 'needed', mode: 'needed' },
  table: {
    rows: 'adjustments',
    columns: ['id', 'status', 'direction', 'amount', 'proposed_at', 'reason'],
    empty: 'This merchant has no adjustments.',
  },
  async run(context, { merchant, mode }) {
    const adjustments = await readAdjustments(await context.sql(), readTenant({ merchant, mode }))
    return { adjustments: adjustments.map(viewAdjustment) }
  },
})

export const commands: readonly Command[] = [
  actCommand(proposeAdjustment, { answer: adjustmentAnswer }),
  actCommand(decideAdjustment.approve, { answer: adjustmentAnswer }),
  actCommand(decideAdjustment.refuse, { answer: adjustmentAnswer }),
  adjustmentList,
]
