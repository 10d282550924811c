import { notify } from '../../people/notices/notify.ts'
import { STAFF } from '../../people/person.ts'
import { eachApart } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { newId } from '../../values/ids.ts'
import { enqueueNotice } from '../rules/tell-of-rules.ts'
import { dueReminders, type IncidentRow, REPORT_HOURS, thresholdsMet } from './incident.ts'
import { readExtent } from './read-extent.ts'
import * as store from './store.ts'

/** A rule that fires and wakes a person, and since when its condition holds. */
export type Firing = { readonly rule: string; readonly since: Date }

/**
 * Opens an incident when a rule that wakes a person fires, adds further ones to it, and ends it when none fires any more. In the transaction of
 * the evaluation, which one worker does at a time.
 */
export async function followIncidents(tx: Tx, firing: readonly Firing[], now: Date): Promise<void> {
  const current = await store.readCurrent(tx)
  if (firing.length === 0) {
    if (current !== null && current.ended_at === null) await store.endIncident(tx, current.id)
    return
  }
  const names = firing.map(({ rule }) => rule)
  if (current === null) {
    const began_at = new Date(Math.min(...firing.map(({ since }) => since.getTime())))
    await store.insertIncident(tx, { id: newId('inc', now.getTime()), began_at, rules: names })
    return
  }
  const rules = [...new Set([...current.rules, ...names])]
  if (current.ended_at !== null || rules.length > current.rules.length)
    await store.continueIncident(tx, current.id, rules)
}

/**
 * Creates the task that reminds people, 24, 48 and 66 hours after the detection, of the report about an incident that meets a threshold of a major
 * one. Each reminder is given once, by whichever worker notes it first. An incident whose extent cannot be read is reminded of too, with
 * `meets` unknown, and holds up no other.
 */
export function createRemindOfReports({
  sql,
  notice_url,
  log,
}: {
  sql: Sql
  notice_url: string | null
  log: Log
}): () => Promise<void> {
  const meetsOf = async (incident: IncidentRow, now: Date): Promise<readonly string[]> => {
    try {
      return thresholdsMet(await readExtent(sql, incident, now), incident)
    } catch (error) {
      log.error({ error, incident: incident.id }, 'incidents: extent not read, reminding without it')
      return ['unknown']
    }
  }
  const remind = async (incident: IncidentRow, now: Date): Promise<void> => {
    const due = dueReminders(incident, now)
    if (due.length === 0) return
    const meets = await meetsOf(incident, now)
    const told = [...incident.told_hours, ...due]
    await sql.begin(async (tx) => {
      if (!(await store.noteReminders(tx, incident.id, incident.told_hours, told)) || meets.length === 0) return
      const left = REPORT_HOURS - Math.max(...due)
      const facts = { incident: incident.id, hours: String(left) }
      notify(tx, { name: 'incident_report_due', about: { merchant_id: STAFF, livemode: null }, facts })
      if (notice_url === null) return
      const data = { incident_id: incident.id, meets: meets.join(','), hours_left: left }
      enqueueNotice(tx, { type: 'incident.clock', at: now.toISOString(), data })
    })
  }
  return async () => {
    const now = await store.readNow(sql)
    await eachApart(await store.readRecent(sql, REPORT_HOURS), {
      task: 'clocks of incidents',
      log,
      nameOf: ({ id }) => id,
      act: (incident) => remind(incident, now),
    })
  }
}
