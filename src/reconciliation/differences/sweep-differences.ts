import type { Clock } from '../../platform/clock.ts'
import { eachApart } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readChangedAccounts } from '../../statement-files/import/changed-days.ts'
import { compareChanged, compareCrowded } from './compare-days.ts'
import { closeDecided, openOverdue } from './store.ts'

/**
 * Closes the differences about whose anomalies people have decided, compares the days whose lines changed since an import, each account apart, and opens the
 * differences whose time to explain themselves is over.
 */
export async function sweepDifferences({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): Promise<void> {
  const tasks = {
    'decided anomalies': () => closeDecided(sql),
    'crowded days': () => compareCrowded(sql),
    'overdue differences': () => openOverdue(sql),
  }
  const task = 'comparison of statements'
  await eachApart(Object.keys(tasks) as (keyof typeof tasks)[], {
    ...{ task, log, nameOf: (name) => name },
    act: (name) => tasks[name](),
  })
  await eachApart(await readChangedAccounts(sql), {
    ...{ task, log, nameOf: ({ account }) => account },
    act: (key) => compareChanged(sql, key, clock.now()),
  })
}
