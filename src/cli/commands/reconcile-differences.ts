import { differenceKinds, differenceStatuses, viewDifference } from '../../reconciliation/differences/difference.ts'
import { readSides } from '../../reconciliation/differences/read-sides.ts'
import type { DifferenceStatus } from '../../reconciliation/differences/states.ts'
import { readDifference, readDifferences } from '../../reconciliation/differences/store.ts'
import { isDay } from '../../values/period.ts'
import { type Command, CommandError, defineCommand, idOf, readInteger, readMode } from '../command.ts'

const LIMIT_MAX = 500

const reconcileList = defineCommand({
  name: 'reconcile list',
  summary: 'Show the differences between statements and our books, oldest first',
  options: {
    account: {
      kind: 'optional',
      value: 'C',
      says: 'only of this account, as external-account list shows it',
      sample: 'wave',
    },
    mode: { kind: 'optional', says: 'the mode; otherwise live', choices: ['test', 'live'], sample: 'live' },
    day: { kind: 'optional', value: 'DAY', says: 'only of this day, such as 2026-11-30', sample: '2026-11-30' },
    kind: { kind: 'optional', says: 'only of this kind', choices: differenceKinds },
    status: { kind: 'optional', says: 'only in this status', choices: differenceStatuses },
    limit: { kind: 'optional', value: 'N', says: `the most rows, 1 to ${LIMIT_MAX}; otherwise 50`, sample: '20' },
    after: { kind: 'optional', value: 'ID', says: 'continue after this difference, the last one shown' },
  },
  example: '--account wave --status open',
  table: {
    rows: 'differences',
    columns: ['id', 'account', 'day', 'kind', 'status', 'amount', 'due_on', 'resolution'],
    empty: 'There are no such differences.',
  },
  async run(context, { account, mode, day, kind, status, limit, after }) {
    if (day !== undefined && !isDay(day)) throw new CommandError('--day must be a day such as 2026-11-30.', 2)
    const db = await context.reads()
    const most = limit === undefined ? 50 : readInteger('limit', limit, 1, LIMIT_MAX)
    const place = after === undefined ? null : await readDifference(db, after)
    if (after !== undefined && place === null) throw new CommandError(`There is no difference ${after}.`)
    const found = await readDifferences(db, {
      ...{ livemode: readMode(mode ?? 'live'), account: account ?? null, day: day ?? null, kind: kind ?? null },
      ...{ status: (status as DifferenceStatus | undefined) ?? null, after: place, limit: most + 1 },
    })
    const rows = found.slice(0, most)
    const sides = await readSides(db, rows)
    const differences = rows.map((row) => viewDifference(row, sides.get(row.id)!))
    return { differences, next: found.length > most ? rows.at(-1)!.id : null }
  },
})

const reconcileShow = defineCommand({
  name: 'reconcile show',
  summary: 'Show a difference with both of its sides',
  options: { id: idOf('dif', 'difference') },
  async run(context, { id }) {
    const db = await context.reads()
    const row = await readDifference(db, id)
    if (row === null) throw new CommandError(`There is no difference ${id}. bandama reconcile list shows them.`)
    return viewDifference(row, (await readSides(db, [row])).get(id)!)
  },
})

export const commands: readonly Command[] = [reconcileList, reconcileShow]
