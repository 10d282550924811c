import { notify } from '../../people/notices/notify.ts'
import { STAFF } from '../../people/person.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { newId } from '../../values/ids.ts'
import { enqueueNotice } from '../rules/tell-of-rules.ts'
import { dueReminders, REPORT_HOURS, thresholdsMet } from './incident.ts'
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
 * one. Each reminder is given once, by whichever worker notes it first.
 */
export function createRemindOfReports({
  sql,
  notice_url,
}: {
  sql: Sql
  notice_url: string | null
}): () => Promise<void> {
  return async () => {
    const now = await store.readNow(sql)
    for (const incident of await store.readRecent(sql, REPORT_HOURS)) {
      const due = dueReminders(incident, now)
      if (due.length === 0) continue
      const meets = thresholdsMet(await readExtent(sql, incident, now), incident)
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
  }
}
