import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import type { Held } from './judge.ts'
import type { Parts } from './part.ts'

/** Days for which the figures of five minutes are kept. */
const FIGURE_DAYS = 35
/** Seconds without a word after which a process counts as silent: it missed two of its reports. */
const SILENT_SECONDS = 45
/** Seconds after which a silent process is forgotten. If it was the last of its role, the rule says so without its row. */
const FORGOTTEN_SECONDS = 600

/** A process of the service. `silent`: it did not say goodbye, and no newer process has its role. */
export type ProcessRow = {
  place: string
  roles: string[]
  version: string
  started_at: Date
  heard_at: Date
  silent: boolean
  parts: Parts
}

/** Writes the row of this process. A new process at its place replaces it. */
export async function writeProcess(
  sql: Sql,
  {
    place,
    roles,
    version,
    parts,
    started_at,
  }: Pick<ProcessRow, 'place' | 'roles' | 'version' | 'parts'> & { started_at: Date },
): Promise<void> {
  await sql`
    insert into service_processes (place, roles, version, started_at, parts)
    values (${place}, ${roles}, ${version}, ${started_at}, ${sql.json(parts)})
    on conflict (place) do update
       set roles = excluded.roles, version = excluded.version, started_at = excluded.started_at, parts = excluded.parts,
           heard_at = clock_timestamp()`
}

/** Removes the row of a process that stops in order. */
export async function removeProcess(sql: Sql, place: string): Promise<void> {
  await sql`delete from service_processes where place = ${place}`
}

/** Reads the processes that are heard, and the silent ones without a successor. */
export async function readProcesses(db: Db): Promise<ProcessRow[]> {
  const rows = await db<(ProcessRow & { succeeded: boolean })[]>`
    select p.place, p.roles, p.version, p.started_at, p.heard_at, p.parts,
           p.heard_at < clock_timestamp() - make_interval(secs => ${SILENT_SECONDS}) as silent,
           (select count(*) > 0
              from service_processes newer
             where newer.roles && p.roles and newer.started_at > p.heard_at) as succeeded
      from service_processes p
     order by p.started_at, p.place`
  return rows.filter(({ silent, succeeded }) => !(silent && succeeded)).map(({ succeeded: _, ...row }) => row)
}

/** Forgets processes that have been silent for long. */
export async function forgetProcesses(tx: Tx): Promise<void> {
  await tx`
    delete from service_processes
     where heard_at < clock_timestamp() - make_interval(secs => ${FORGOTTEN_SECONDS})`
}

/** Reads the rules whose condition holds, and the database's time, which all workers share. */
export async function readHeld(db: Db): Promise<{ now: Date; held: Held[] }> {
  const [time] = await db<{ now: Date }[]>`select clock_timestamp() as now`
  const held = await db<Held[]>`
    select rule, since, fired_at, value
      from rule_states
     order by rule`
  return { now: time!.now, held }
}

export async function writeHeld(tx: Tx, { rule, since, fired_at, value }: Held): Promise<void> {
  await tx`
    insert into rule_states (rule, since, fired_at, value)
    values (${rule}, ${since}, ${fired_at}, ${value})
    on conflict (rule) do update
       set fired_at = excluded.fired_at, value = excluded.value`
}

export async function removeHeld(tx: Tx, names: readonly string[]): Promise<void> {
  await tx`delete from rule_states where rule = any(${[...names]})`
}

export type State = 'ok' | 'ticket' | 'page'
export type FigureRow = { starts_at: Date; state: State; figures: Record<string, number> }

/** Reads the figures of the five minutes of a moment. Null: there are none yet. */
export async function readFigures(db: Db, starts_at: Date): Promise<FigureRow | null> {
  const [row] = await db<FigureRow[]>`
    select starts_at, state, figures
      from status_figures
     where starts_at = ${starts_at}`
  return row ?? null
}

/** Reads the figures of the last days, oldest first. */
export async function readFiguresSince(db: Db, days: number): Promise<FigureRow[]> {
  return db<FigureRow[]>`
    select starts_at, state, figures
      from status_figures
     where starts_at > clock_timestamp() - make_interval(days => ${days}::integer)
     order by starts_at`
}

/** When a worker last evaluated the rules. Null: none ever did. */
export async function readNewestEvaluation(db: Db): Promise<Date | null> {
  const [row] = await db<{ evaluated_at: Date }[]>`
    select evaluated_at
      from status_figures
     order by starts_at desc
     limit 1`
  return row?.evaluated_at ?? null
}

/** The beginning of the oldest five minutes whose figures are kept. Null: there are none. */
export async function readOldestFigures(db: Db): Promise<Date | null> {
  const [row] = await db<{ oldest: Date | null }[]>`select min(starts_at) as oldest from status_figures`
  return row!.oldest
}

/** Reads the figures of the five minutes that touch a time. */
export async function readFiguresBetween(db: Db, from: Date, before: Date): Promise<FigureRow[]> {
  return db<FigureRow[]>`
    select starts_at, state, figures
      from status_figures
     where starts_at > ${from}::timestamptz - interval '5 minutes' and starts_at < ${before}
     order by starts_at`
}

export async function writeFigures(tx: Tx, { starts_at, state, figures }: FigureRow): Promise<void> {
  await tx`
    insert into status_figures (starts_at, state, figures)
    values (${starts_at}, ${state}, ${tx.json(figures)})
    on conflict (starts_at) do update
       set state = excluded.state, figures = excluded.figures, evaluated_at = clock_timestamp()`
}

/** Deletes the figures that are older than `FIGURE_DAYS`. */
export async function dropOldFigures(tx: Tx): Promise<void> {
  await tx`delete from status_figures where starts_at < clock_timestamp() - make_interval(days => ${FIGURE_DAYS})`
}
