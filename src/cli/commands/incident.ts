import { endIncidentAs, openIncident } from '../../app/incidents/open-incident.ts'
import { viewIncident } from '../../app/incidents/read-extent.ts'
import { readIncident, readIncidents, readNow } from '../../app/incidents/store.ts'
import { type Command, CommandError, defineCommand, idOf, readText, readTime } from '../command.ts'

/** The most incidents in a list. */
const SHOWN_MAX = 100

const incidentList = defineCommand({
  name: 'incident list',
  summary: 'Show the incidents that rules have seen or people opened, newest first',
  options: {},
  table: {
    rows: 'incidents',
    columns: ['incident_id', 'began_at', 'ended_at', 'title'],
    empty: 'No rule that wakes a person has fired, and nobody opened an incident.',
  },
  async run(context) {
    const rows = await readIncidents(await context.sql(), SHOWN_MAX)
    const incidents = rows.map(({ id, began_at, detected_at, ended_at, rules, opened_by, title }) => ({
      ...{ incident_id: id, began_at, detected_at, ended_at, opened_by },
      title: title ?? rules.join(','),
    }))
    return { incidents }
  },
})

const incidentShow = defineCommand({
  name: 'incident show',
  summary:
    'Show how far an interruption went, which thresholds of a major incident it meets, and when the report is due',
  details:
    'It counts the minutes in which callers got no service and in which each operator failed, in steps of five. The shares of volume and users are what ' +
    'is missing against the same time of four same weekdays, as a part of such a day, for the first three days of an incident. Bandama keeps these ' +
    'figures for 35 days, of operators for 14: minutes_unknown are older than the oldest, and meet no threshold.',
  options: { id: idOf('inc', 'incident') },
  async run(context, { id }) {
    const sql = await context.sql()
    const incident = await readIncident(sql, id)
    if (incident === null) throw new CommandError(`There is no incident ${id}. bandama incident list shows them.`)
    return viewIncident(sql, incident, await readNow(sql))
  },
})

const incidentOpen = defineCommand({
  name: 'incident open',
  summary: 'Record an incident that no rule sees, such as a breach of security',
  details: 'The clock of its report begins now. Without --to it lasts until bandama incident end.',
  right: 'cases.decide',
  options: {
    title: {
      kind: 'needed',
      value: 'TEXT',
      says: 'the incident in one line, without data of payers',
      sample: "'stolen laptop'",
    },
    security: { kind: 'flag', says: 'it is a breach of security, and so a major incident' },
    from: { kind: 'optional', value: 'TIME', says: 'when it began; by default now', sample: '2026-11-29T08:00:00Z' },
    to: { kind: 'optional', value: 'TIME', says: 'when it ended', sample: '2026-11-29T10:30:00Z' },
    as: 'optional',
  },
  async run(context, { title, security, from, to, as }) {
    const began_at = from === undefined ? null : readTime('from', from)
    const ended_at = to === undefined ? null : readTime('to', to)
    const now = context.clock.now()
    if (ended_at !== null && (ended_at > now || ended_at <= (began_at ?? now)))
      throw new CommandError('--to must be after --from, and past.', 2)
    const opened = { began_at, ended_at, security, title: readText('title', title, 200) }
    return {
      incident_id: await openIncident({ sql: await context.sql(), clock: context.clock }, opened, context.actor(as)),
    }
  },
})

const incidentEnd = defineCommand({
  name: 'incident end',
  summary: 'End an incident that a person opened',
  right: 'cases.decide',
  options: { id: idOf('inc', 'incident'), as: 'optional' },
  async run(context, { id, as }) {
    if (await endIncidentAs(await context.sql(), id, context.actor(as))) return { incident_id: id, ended: true }
    throw new CommandError(`${id} is no open incident that a person opened. The service ends those of rules itself.`)
  },
})

export const commands: readonly Command[] = [incidentList, incidentShow, incidentOpen, incidentEnd]
