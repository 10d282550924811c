import type { Clock } from '../../platform/clock.ts'
import { eachApart } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { compareChanged } from './compare-days.ts'
import { openOverdue } from './store.ts'

/** Compares the days whose lines changed since an import, and opens the differences whose time to explain themselves is over. */
export async function sweepDifferences({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): Promise<void> {
  const tasks = {
    'changed days': () => sql.begin((tx) => compareChanged(tx, clock.now())),
    'overdue differences': () => openOverdue(sql),
  }
  await eachApart(Object.keys(tasks) as (keyof typeof tasks)[], {
    task: 'comparison of statements',
    log,
    nameOf: (name) => name,
    act: (name) => tasks[name](),
  })
}
