import { type Repaired, rebuildListings } from '../../listings/rebuild-listings.ts'
import { periodOf } from '../../values/period.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'
import { tell } from '../output.ts'
import { readTenantOrAll } from '../page.ts'

/** Milliseconds between two lines of progress. */
const TOLD_EVERY_MS = 2_000

const listingsRebuild = defineCommand({
  name: 'listings rebuild',
  summary:
    'Repair lists and charts while the service runs: add missing operations, and recount the figures of each day',
  details:
    'Use it when bandama audit finds faults in lists or figures. No money is concerned. It works in small steps, and reports its progress on standard ' +
    'error. After an interruption, run it again. Without --merchant it repairs all merchants; without --from and --to, all days.',
  right: 'listings.rebuild',
  options: {
    merchant: 'optional',
    mode: 'optional',
    from: { kind: 'optional', value: 'DAY', says: 'the first day, in UTC', sample: '2026-08-01' },
    to: { kind: 'optional', value: 'DAY', says: 'the last day', sample: '2026-08-31' },
    as: 'optional',
  },
  async run(context, { merchant, mode, from, to, as }) {
    const tenant = readTenantOrAll({ merchant, mode })
    const period = from === undefined && to === undefined ? null : periodOf(from ?? '', to ?? '')
    if (period === null && (from ?? to) !== undefined) {
      throw new CommandError('--from and --to must be days such as 2026-08-31, and --from must not be after --to.', 2)
    }
    const { kind, ...repaired } = await rebuildListings(
      await context.sql(),
      { tenant, period },
      context.actor(as),
      createTold(),
    )
    if (kind === 'refused') throw new CommandError(`There is no merchant ${merchant}.`)
    return repaired
  },
})

/** Creates the callback that prints a repair's progress: at its first step, and every `TOLD_EVERY_MS`. */
function createTold() {
  let last = Number.NEGATIVE_INFINITY
  return (where: string, { looked_at, listed, relisted, removed, days, figures }: Repaired): void => {
    if (performance.now() - last < TOLD_EVERY_MS) return
    last = performance.now()
    tell(
      `${where}. Operations: ${looked_at} looked at, ${listed} listed, ${relisted} listed anew, ${removed} removed. Days: ${days} counted, ${figures} figures corrected.`,
    )
  }
}

export const commands: readonly Command[] = [listingsRebuild]
