import { readBadMinutes, readTraffic } from '../../operators/weather/traffic-store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { isBeyond } from '../rules/rule.ts'
import { rules } from '../rules/rules.ts'
import { readFiguresBetween, readOldestFigures } from '../rules/store.ts'
import { type Extent, type IncidentRow, REPORT_HOURS, shareLost, thresholdsMet } from './incident.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const SLOT = 5 * MINUTE
/** The most days of an incident whose traffic is compared: a day takes seconds, and four same weekdays are read for each. */
const COMPARED_DAYS = 3
/** Days before, at which the same weekdays are. */
const SAME_WEEKDAYS = [7, 14, 21, 28] as const
/** The success rate below which an operator counts as down. */
const GOOD_FROM = 0.7

/** Rules that say that the service itself is down for its callers. */
const ours = rules.filter(({ name }) => name === 'NotReady' || name === 'ServerErrors')

/** Reads how far an incident went, until its end or now. */
export async function readExtent(db: Db, { began_at, ended_at }: IncidentRow, now: Date): Promise<Extent> {
  const until = ended_at ?? now
  const [begin, end] = [began_at.getTime(), until.getTime()]
  const operators = await readBadMinutes(db, { from: began_at, before: until, good_from: GOOD_FROM })
  const { ours, minutes_unknown } = await readOurMinutes(db, began_at, until)
  return {
    minutes_down: {
      ours,
      operators: Object.fromEntries(operators.map(({ operator, minutes }) => [operator, minutes])),
    },
    minutes_unknown,
    share: shareLost(await readCompared(db, begin, Math.min(end, begin + COMPARED_DAYS * DAY))),
  }
}

/** An incident with its extent, as commands show it. */
export async function viewIncident(db: Db, incident: IncidentRow, now: Date) {
  const { id, began_at, detected_at, ended_at } = incident
  const extent = await readExtent(db, incident, now)
  return {
    incident_id: id,
    began_at: began_at.toISOString(),
    detected_at: detected_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
    rules: incident.rules,
    opened_by: incident.opened_by,
    title: incident.title,
    ...extent,
    meets: thresholdsMet(extent, incident),
    report_due_at: new Date(detected_at.getTime() + REPORT_HOURS * 60 * MINUTE).toISOString(),
  }
}

/**
 * The minutes in which callers got no service, in steps of five: a rule of the API was broken, or no worker evaluated anything, because the
 * database or everything was down. Before the oldest figures nobody knows.
 */
async function readOurMinutes(db: Db, began_at: Date, until: Date) {
  const oldest = (await readOldestFigures(db)) ?? until
  const from = new Date(Math.min(until.getTime(), Math.max(began_at.getTime(), oldest.getTime())))
  const rows = await readFiguresBetween(db, from, until)
  const known = new Map(rows.map((row) => [row.starts_at.getTime(), row.figures]))
  let minutes = 0
  for (let slot = Math.floor(from.getTime() / SLOT) * SLOT; slot < until.getTime(); slot += SLOT) {
    const figures = known.get(slot)
    const isDown =
      figures === undefined || ours.some((rule) => isBeyond(rule, figures[rule.name] ?? (rule.absent ? null : 0)))
    if (!isDown) continue
    const [begin, end] = [Math.max(slot, from.getTime()), Math.min(slot + SLOT, until.getTime())]
    minutes += (end - begin) / MINUTE
  }
  return { ours: Math.round(minutes), minutes_unknown: Math.round((from.getTime() - began_at.getTime()) / MINUTE) }
}

async function readCompared(db: Db, from: number, until: number) {
  const day = Math.floor(from / DAY) * DAY
  const during = await readTraffic(db, from, until)
  const [same_time, days] = [[], []] as [(typeof during)[], (typeof during)[]]
  for (const ago of SAME_WEEKDAYS) {
    same_time.push(await readTraffic(db, from - ago * DAY, until - ago * DAY))
    days.push(await readTraffic(db, day - ago * DAY, day - ago * DAY + DAY))
  }
  return { during, same_time, days }
}
