import { recordAct, WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import { newId } from '../../values/ids.ts'
import type { IncidentRow } from './incident.ts'
import { endOpened, insertOpened } from './store.ts'

/** The whole service, in both modes. */
const about = { merchant_id: WHOLE_SERVICE, livemode: null }

/** Records an incident that a person tells of. `began_at` null: now; `ended_at` null: it goes on. Returns its id. */
export async function openIncident(
  { sql, clock }: { sql: Sql; clock: Clock },
  opened: Pick<IncidentRow, 'ended_at' | 'security' | 'title'> & { began_at: Date | null },
  actor: Actor,
): Promise<string> {
  const id = newId('inc', clock.milliseconds())
  await sql.begin(async (tx) => {
    await insertOpened(tx, { ...opened, id, opened_by: actor.person })
    recordAct(tx, about, { actor, act: 'incident.open', subject: id, after: { security: opened.security } })
  })
  return id
}

/** Ends an incident that a person opened. False: there is no such open one. */
export async function endIncidentAs(sql: Sql, id: string, actor: Actor): Promise<boolean> {
  return sql.begin(async (tx) => {
    const isEnded = await endOpened(tx, id)
    if (isEnded) recordAct(tx, about, { actor, act: 'incident.end', subject: id })
    return isEnded
  })
}
