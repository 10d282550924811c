import type { ActName } from '../audit-log/act-words.ts'
import { recordActs } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects, type Effect } from '../platform/commands/effects.ts'
import { sweepApart } from '../platform/each-apart.ts'
import type { Log } from '../platform/log.ts'
import type { Db, Sql, Tx } from '../platform/postgres/database.ts'
import { SCHEDULE } from '../values/actor.ts'
import { tenantOf } from '../values/caller.ts'
import { findTransition } from '../values/transition.ts'
import { lapseTransition, type Proposed } from './decision.ts'

/** `decided_by` of a lapsed proposal, which no person decided. The database holds the two together. */
export const TIME = 'time'

/** @property proposal_days days after which a proposal that nobody decided lapses */
export type LapseDeps = { readonly proposal_days: number }

/** When a proposal lapses that nobody decides. */
export function lapsesAt({ proposed_at }: { readonly proposed_at: Date }, { proposal_days }: LapseDeps): Date {
  return new Date(proposed_at.getTime() + proposal_days * 24 * 3_600_000)
}

type KindOf<Row extends Proposed> = {
  readonly table: string
  /** The pattern of its ids, for a table with two kinds. Absent: all. */
  readonly ids?: string
  /** The act that proposed it, for the notice to its person. */
  readonly proposedAs: (row: Row) => ActName
  /** Locks the row until the transaction ends, after what ranks before it. */
  readonly lock: (tx: Tx, id: string) => Promise<Row | null>
  readonly write: (row: Row) => Effect
  /** The other changes, those of a withdrawal. Absent: none. */
  readonly undo?: (row: Row) => readonly Effect[]
}

/** One kind of proposals that lapse. */
export type LapsingKind = KindOf<never>

/** Declares how proposals of one kind lapse. */
export const defineLapse = <Row extends Proposed>(kind: KindOf<Row>): LapsingKind => kind as unknown as LapsingKind

/** Proposals that a sweep reads at once. */
const PART = 200

type Deps = LapseDeps & {
  readonly sql: Sql
  readonly clock: Clock
  readonly log: Log
  /** Tells the person who proposed it. */
  readonly tell: (tx: Tx, lapsed: Proposed, proposedAs: ActName) => Promise<void>
}

/** Ends the proposals that nobody decided within their days, each in its own transaction. Nothing of them is done. Returns their number. */
export async function lapseProposals(
  { sql, clock, log, proposal_days, tell }: Deps,
  kinds: readonly LapsingKind[],
): Promise<number> {
  let lapsed = 0
  for (const kind of kinds as unknown as readonly KindOf<Proposed>[])
    lapsed += await sweepApart({
      task: 'lapse of proposals',
      log,
      read: (met) => readOverdue(sql, kind, proposal_days, met),
      nameOf: (id) => id,
      act: (id) =>
        sql.begin(async (tx) => {
          const row = await kind.lock(tx, id)
          const transition = row && findTransition([lapseTransition], row.status, 'time_ran_out')
          // Null when somebody decided it after it was read.
          if (row === null || transition === null) return
          const now = clock.now()
          const { to: status } = transition
          const ended = { ...row, status, decided_by: TIME, decided_at: now }
          const change = { before: { status: row.status }, after: { status, proposed_by: row.proposed_by } }
          const line = { ...tenantOf(row), actor: SCHEDULE, act: 'proposal.lapse' as const, subject: id, ...change }
          await applyEffects(tx, [kind.write(ended), ...(kind.undo?.(row) ?? []), recordActs(line)], now)
          await tell(tx, ended, kind.proposedAs(row))
        }),
    })
  return lapsed
}

/** The ids of overdue proposals of all merchants, oldest first, without those of `met`. At most 200. */
async function readOverdue(
  db: Db,
  { table, ids = '%' }: Pick<KindOf<Proposed>, 'table' | 'ids'>,
  days: number,
  met: readonly string[],
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id::text as id
      from ${db(table)}
     where status = 'proposed' and proposed_at <= clock_now() - make_interval(days => ${days}::integer)
       and id::text like ${ids} and id::text <> all(${[...met]}::text[])
     order by proposed_at
     limit ${PART}`
  return rows.map(({ id }) => id)
}
