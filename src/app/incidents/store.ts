import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { IncidentRow } from './incident.ts'

const columns = ['id', 'began_at', 'detected_at', 'ended_at', 'rules', 'opened_by', 'title', 'security', 'told_hours']

/** Minutes after its end in which an incident goes on when a rule fires again. */
const SAME_MINUTES = 60

/** Reads the incident that a rule belongs to when it fires now: the open one, or one that has just ended. Null: a new one begins. */
export async function readCurrent(db: Db): Promise<IncidentRow | null> {
  const [row] = await db<IncidentRow[]>`
    select ${db(columns)}
      from incidents
     where opened_by is null
       and (ended_at is null or ended_at > clock_timestamp() - make_interval(mins => ${SAME_MINUTES}))
     order by ended_at desc nulls first
     limit 1`
  return row ?? null
}

export async function insertIncident(
  tx: Tx,
  { id, began_at, rules }: Pick<IncidentRow, 'id' | 'began_at' | 'rules'>,
): Promise<void> {
  await tx`
    insert into incidents (id, began_at, detected_at, rules)
    values (${id}, ${began_at}, clock_timestamp(), ${rules})`
}

/** Inserts an incident that a person opens. It is detected now, whenever it began. */
export async function insertOpened(
  tx: Tx,
  {
    id,
    began_at,
    ended_at,
    opened_by,
    title,
    security,
  }: Pick<IncidentRow, 'id' | 'ended_at' | 'opened_by' | 'title' | 'security'> & { began_at: Date | null },
): Promise<void> {
  await tx`
    insert into incidents (id, began_at, detected_at, ended_at, rules, opened_by, title, security)
    values (${id}, coalesce(${began_at}::timestamptz, clock_timestamp()), clock_timestamp(), ${ended_at}, '{}', ${opened_by}, ${title},
            ${security})`
}

/** Ends an incident that a person opened. False: there is no such open one. */
export async function endOpened(tx: Tx, id: string): Promise<boolean> {
  const { count } = await tx`
    update incidents
       set ended_at = clock_timestamp()
     where id = ${id} and opened_by is not null and ended_at is null`
  return count > 0
}

/** Adds rules to an incident, and opens it again. */
export async function continueIncident(tx: Tx, id: string, rules: readonly string[]): Promise<void> {
  await tx`
    update incidents
       set rules = ${[...rules]}, ended_at = null
     where id = ${id}`
}

export async function endIncident(tx: Tx, id: string): Promise<void> {
  await tx`update incidents set ended_at = clock_timestamp() where id = ${id}`
}

/** Notes the reminders that were given or not needed. False: another worker noted them. */
export async function noteReminders(
  tx: Tx,
  id: string,
  before: readonly number[],
  after: readonly number[],
): Promise<boolean> {
  const { count } = await tx`
    update incidents
       set told_hours = ${[...after]}
     where id = ${id} and told_hours = ${[...before]}`
  return count > 0
}

export async function readIncident(db: Db, id: string): Promise<IncidentRow | null> {
  const [row] = await db<IncidentRow[]>`select ${db(columns)} from incidents where id = ${id}`
  return row ?? null
}

/** Reads the newest incidents first. */
export async function readIncidents(db: Db, limit: number): Promise<IncidentRow[]> {
  return db<IncidentRow[]>`
    select ${db(columns)}
      from incidents
     order by detected_at desc
     limit ${limit}`
}

/** Reads the incidents of the last days, whose reminders may be due. */
export async function readRecent(db: Db, hours: number): Promise<IncidentRow[]> {
  return db<IncidentRow[]>`
    select ${db(columns)}
      from incidents
     where detected_at > clock_timestamp() - make_interval(hours => ${hours}::integer)
     order by detected_at`
}

/** Reads the database's time. */
export async function readNow(db: Db): Promise<Date> {
  const [row] = await db<{ now: Date }[]>`select clock_timestamp() as now`
  return row!.now
}
