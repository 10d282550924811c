import { blank, pageHead, panel, status } from '../../console/components.ts'
import { list } from '../../console/list.ts'
import { quoted } from '../../console/say.ts'
import { defineConsoleScreen } from '../../console/screen.ts'
import { readPersonNames } from '../../people/name-store.ts'
import { findVisits } from '../../people/visits/find-visits.ts'
import type { Visit } from '../../people/visits/visit.ts'
import type { Clock } from '../../platform/clock.ts'
import { html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'

/** The staff members who read this merchant's console, with their reasons. */
export const getVisits = defineConsoleScreen<{ readonly sql: Sql; readonly clock: Clock }>({
  method: 'GET',
  path: '/visits',
  operation: 'consoleVisits',
  summary: 'The staff who read this console, with their times and reasons',
  right: 'team.read',
  menu: { group: 'house', icon: 'look', words: ['Lectures par le service', 'Visits by the service'] },
  async handle({ say, language, tenant }, { sql, clock }) {
    const visits = await findVisits(sql, tenant.merchant_id)
    const names = await readPersonNames(
      sql,
      visits.map(({ person }) => person),
    )
    // Only the names of staff, because they sign in with their addresses.
    const nameOf = ({ person }: Visit) =>
      names.get(person) ?? say(['une personne de l’équipe du service', 'a person of the team of the service'])
    const now = clock.now()
    const title = say(['Lectures par le service', 'Visits by the service'])
    const lead = say([
      'L’équipe du service peut lire votre console une demi-heure, avec une raison. Elle ne peut rien y changer.',
      'The team of the service can read your console for half an hour, with a reason. It can change nothing there.',
    ])
    const endOf = ({ ended_at, ends_at }: Visit) => ended_at ?? ends_at
    const content =
      visits.length === 0
        ? blank('look', { title: say(['Personne n’a lu votre console', 'Nobody has read your console']) })
        : list<Visit>({
            caption: title,
            rows: visits,
            columns: [
              {
                title: say(['Raison', 'Reason']),
                kind: 'k',
                all: true,
                cell: ({ reason }) => say(quoted, { text: reason }),
              },
              {
                title: say(['État', 'State']),
                kind: 's',
                cell: (visit) =>
                  endOf(visit) > now
                    ? status('going', say(['En cours', 'Under way']))
                    : status('off', say(['Finie', 'Ended'])),
              },
              { title: say(['Personne', 'Person']), kind: '', cell: (visit) => nameOf(visit) },
              {
                title: say(['Début', 'Begun']),
                kind: 't',
                cell: ({ begun_at }) => writeShortDate(begun_at, language),
              },
              {
                title: say(['Fin', 'End']),
                kind: 'w',
                cell: (visit) => writeShortDate(endOf(visit), language),
              },
            ],
          })
    const main = html`${pageHead({ title, lead })}${panel(null, content, { flush: visits.length > 0 })}`
    const facts = visits.map((visit) => ({
      ...{ reason: visit.reason, person: nameOf(visit), begun_at: visit.begun_at, ends_at: endOf(visit) },
    }))
    return { kind: 'view', title, main, facts: { visits: facts } }
  },
})
