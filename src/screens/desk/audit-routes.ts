import { type AuditLine, readActs } from '../../audit-log/find-acts.ts'
import { blank, id, pageHead, panel } from '../../console/components.ts'
import { field } from '../../console/forms.ts'
import { chips, filters, list } from '../../console/list.ts'
import { defineDeskScreen } from '../../console/screen.ts'
import { readPersonNames } from '../../people/name-store.ts'
import { html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { personName } from './case-words.ts'

/** The most lines on the page. `bandama audit-log list` has all. */
const SHOWN_MAX = 100

/** The newest acts of people, all or about one merchant. Lines of the other mode are left out. */
export const getDeskAudit = defineDeskScreen<{ sql: Sql }>({
  method: 'GET',
  path: '/audit',
  query: ['merchant'],
  operation: 'deskAudit',
  summary: 'Read the newest acts of people',
  right: 'audit.read',
  menu: { group: 'house', icon: 'log', words: ['Traces', 'Audit log'] },
  async handle({ say, at, query, livemode, language }, { sql }) {
    const typed = query.get('merchant') ?? ''
    const merchant_id = /^\d{1,15}$/.test(typed) ? Number(typed) : null
    const acts = await readActs(sql, { merchant_id, livemode }, SHOWN_MAX)
    const names = await readPersonNames(
      sql,
      acts.map(({ actor }) => actor),
    )
    const title = say(['Traces', 'Audit log'])
    const lead = say(['Les {n} derniers actes des personnes.', 'The last {n} acts of people.'], { n: SHOWN_MAX })
    const content =
      acts.length === 0
        ? blank('log', { title: say(['Aucun acte ici', 'No act here']) })
        : list<AuditLine>({
            caption: title,
            rows: acts,
            columns: [
              { title: say(['Personne', 'Person']), kind: 'k', cell: ({ actor }) => personName(actor, names, say) },
              { title: say(['Acte', 'Act']), kind: '', cell: ({ act }) => id(act) },
              {
                title: say(['Sur', 'On']),
                kind: '',
                cell: ({ subject, merchant_id: of }) => html`${id(subject ?? (of === null ? '–' : String(of)))}`,
              },
              {
                title: say(['Preuve', 'Proof']),
                kind: 'w',
                cell: ({ step_up_id, door }) =>
                  step_up_id !== null ? say(['facteur neuf', 'fresh factor']) : id(door),
              },
              { title: say(['Quand', 'When']), kind: 't', cell: ({ at: when }) => writeShortDate(when, language) },
            ],
          })
    const chosen = field({
      name: 'merchant',
      label: say(['Numéro du marchand', 'Number of the merchant']),
      value: typed,
      more: { inputmode: 'numeric' },
    })
    const on =
      typed === '' ? [] : [{ text: say(['Marchand {n}', 'Merchant {n}'], { n: typed }), without: at('/audit') }]
    const main = html`${pageHead({ title, lead })}${filters(say, say(['Filtres', 'Filters']), chosen)}${chips(say, on, null)}${panel(null, content, { flush: acts.length > 0 })}`
    return { kind: 'view', title, main, facts: { acts } }
  },
})
