import { readMargin } from '../../ledger/margin.ts'
import { periodOf } from '../../values/period.ts'
import { type Command, CommandError, defineCommand, readMode } from '../command.ts'

const margin = defineCommand({
  name: 'margin',
  summary: 'Show what the service earned with each operator and day: fees of merchants less charges of the operator',
  options: {
    mode: 'needed',
    from: { kind: 'needed', value: 'DAY', says: 'the first day, in UTC', sample: '2026-08-01' },
    to: { kind: 'needed', value: 'DAY', says: 'the last day', sample: '2026-08-31' },
  },
  table: {
    rows: 'lines',
    columns: ['day', 'operator', 'fees', 'charges', 'margin'],
    empty: 'No fee and no charge was booked in these days.',
  },
  async run(context, { mode, from, to }) {
    const period = periodOf(from, to)
    if (period === null) {
      throw new CommandError('--from and --to must be days such as 2026-08-31, and --from must not be after --to.', 2)
    }
    return { lines: await readMargin(await context.reads(), readMode(mode), period) }
  },
})

export const commands: readonly Command[] = [margin]
