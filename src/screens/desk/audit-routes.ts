import { type ActName, actWords } from '../../audit-log/act-words.ts'
import { type AuditLine, EVERY_ACT, readActs } from '../../audit-log/find-acts.ts'
import { blank, id, pageHead, panel, type Row, rows } from '../../console/components.ts'
import { field, select } from '../../console/forms.ts'
import { hiddenAgain, hiddenSearch, SEALED } from '../../console/hidden-search.ts'
import { chips, filteredAddress, filters, list, pages } from '../../console/list.ts'
import type { Say, Words } from '../../console/say.ts'
import { defineDeskScreen, type ScreenRequest } from '../../console/screen.ts'
import { readPersonNames } from '../../people/name-store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Door } from '../../values/actor.ts'
import { normalizePerson } from '../../values/independent-approver.ts'
import { isDay } from '../../values/period.ts'
import { consolePageById, consolePageField } from '../merchants/console-page.ts'
import { personName } from './case-words.ts'
import { deskPageOf } from './find-by-id.ts'

type Request = ScreenRequest<'desk'>

/** The number of lines on a page. */
const PAGE = 50
const DAY_MS = 86_400_000

/** The filters in the address, each as text. An invalid value counts as absent. */
type Filters = { merchant: string; person: string; act: ActName | ''; on: string; until: string }

/** The acts of people, newest first, in pages. Lines of the other mode are left out. */
const getDeskAudit = defineDeskScreen<{ sql: Sql }>({
  method: 'GET',
  path: '/audit',
  query: ['merchant', 'person', SEALED, 'act', 'on', 'until', 'after'],
  hides: 'person',
  operation: 'deskAudit',
  summary: 'Read the acts of people, newest first',
  right: 'audit.read',
  menu: { group: 'house', icon: 'log', words: ['Traces', 'Audit log'] },
  async handle(request, { sql }) {
    const { livemode, query } = request
    const chosen = filtersIn(request)
    const wanted = {
      ...EVERY_ACT,
      livemode,
      merchant_id: chosen.merchant === '' ? null : Number(chosen.merchant),
      actor: normalizePerson(chosen.person),
      act: chosen.act === '' ? null : chosen.act,
      subject: chosen.on === '' ? null : chosen.on,
      // The chosen day is included. Days are those of Abidjan, which is on UTC.
      until: chosen.until === '' ? null : new Date(Date.parse(`${chosen.until}T00:00:00.000Z`) + DAY_MS),
    }
    const { acts, after } = await readActs(sql, wanted, { after: query.get('after'), limit: PAGE })
    const names = await readPersonNames(
      sql,
      acts.map(({ actor }) => actor),
    )
    return auditView(request, { chosen, acts, after, names })
  },
})

/** The audit log, and the POST of its filters. */
export const auditScreens = [getDeskAudit, hiddenSearch(getDeskAudit)] as const

function filtersIn({ query }: Request): Filters {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 200)
  const act = text('act')
  return {
    merchant: /^\d{1,15}$/.test(text('merchant')) ? text('merchant') : '',
    person: text('person'),
    act: Object.hasOwn(actWords, act) ? (act as ActName) : '',
    on: text('on'),
    until: isDay(text('until')) ? text('until') : '',
  }
}

function addressOf({ at, query }: Request, { person, ...chosen }: Filters, after = ''): string {
  return filteredAddress(at('/audit'), { ...chosen, ...(person !== '' && hiddenAgain(query, 'person')), after })
}

type Shown = { chosen: Filters; acts: readonly AuditLine[]; after: string | null; names: ReadonlyMap<string, string> }

function auditView(request: Request, { chosen, acts, after, names }: Shown) {
  const { say, at, language, query } = request
  const title = say(['Traces', 'Audit log'])
  const lead = say([
    'Ce que chaque personne a fait, le plus récent d’abord. Personne ne peut changer une ligne.',
    'What each person did, newest first. Nobody can change a line.',
  ])
  const fresh = html`<span class="sub">${say(['avec un facteur neuf', 'with a fresh factor'])}</span>`
  const content =
    acts.length === 0
      ? blank('log', { title: say(['Aucun acte ici', 'No act here']) })
      : list<AuditLine>({
          caption: title,
          rows: acts,
          columns: [
            {
              title: say(['Acte', 'Act']),
              kind: 'k',
              all: true,
              cell: (line) =>
                html`${say(actWords[line.act])}<span class="sub id">${line.act}</span>${changes(line, say)}`,
            },
            {
              title: say(['Personne', 'Person']),
              kind: '',
              label: say(['Personne', 'Person']),
              cell: ({ actor, from_address }) =>
                html`${personName(actor, names, say)}${from_address !== null && html`<span class="sub">${from_address}</span>`}`,
            },
            {
              title: say(['Sur', 'On']),
              kind: '',
              label: say(['Sur', 'On']),
              cell: (line) => subjectOf(request, line),
            },
            {
              title: say(['Preuve', 'Proof']),
              kind: '',
              label: say(['Preuve', 'Proof']),
              cell: ({ step_up_id, door }) => html`${say(doorWords[door])}${step_up_id !== null && fresh}`,
            },
            { title: say(['Quand', 'When']), kind: 't', cell: ({ at }) => writeShortDate(at, language) },
          ],
        })
  const newer = query.has('after') ? addressOf(request, chosen) : null
  const older = after === null ? null : addressOf(request, chosen, after)
  const summary = say(['Personne, acte, marchand, jour', 'Person, act, merchant, day'])
  const narrowing = filters(say, summary, filterFields(chosen, say), { nonce: request.nonce }, at(`/audit/${SEALED}`))
  const shown = html`${narrowing}${chips(say, chosenChips(request, chosen), null)}`
  const found = panel(null, content, { flush: acts.length > 0 })
  const main = html`${pageHead({ title, lead })}${shown}${found}${pages(say, { newer, older }, inOrder)}`
  return { kind: 'view' as const, title, main, facts: { acts, after } }
}

const inOrder = [
  ['Les plus récents', 'The newest'],
  ['Plus anciens', 'Older'],
] as const

const doorWords: Readonly<Record<Door, Words>> = {
  console: ['à l’écran', 'on the screen'],
  command_line: ['en ligne de commande', 'on the command line'],
  break_glass: ['sur la machine même, sans entrer', 'on the host itself, not signed in'],
  system: ['par le service', 'by the service'],
}

/** The values of an act, under a summary. Those that stayed the same are left out. */
function changes({ before, after }: AuditLine, say: Say): Html | null {
  const was: Readonly<Record<string, unknown>> = { ...before }
  const is: Readonly<Record<string, unknown>> = { ...after }
  const facts = [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((name): Row[] => {
    const [old, now] = [writeValue(was[name]), writeValue(is[name])]
    if (old === now) return []
    return [{ name, value: id(old === '' ? now : `${old} → ${now || '–'}`) }]
  })
  if (facts.length === 0) return null
  return html`<details><summary>${say(['Valeurs', 'Values'])}</summary>${rows(facts)}</details>`
}

function writeValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(writeValue).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Returns the way to a merchant's resource, which staff read in its console. Null when it has no page there. */
function pageAtMerchant({ at, can }: Request, merchant_id: number | null, subject: string): string | null {
  const page = consolePageById(subject)?.page ?? null
  if (page === null || merchant_id === null || !can('merchants.look')) return null
  return at(`/merchants/${merchant_id}?${consolePageField(page)}#look`)
}

function subjectOf(request: Request, { subject, merchant_id }: AuditLine): Html {
  const { at, can, say } = request
  const page = subject === null ? null : (deskPageOf(request, subject) ?? pageAtMerchant(request, merchant_id, subject))
  const linked = page !== null && html`<a href="${page}">${id(subject!)}</a>`
  const of =
    merchant_id === null
      ? say(['tout le service', 'the whole service'])
      : say(['marchand {n}', 'merchant {n}'], { n: merchant_id })
  const merchant =
    merchant_id !== null && can('merchants.read') ? html`<a href="${at(`/merchants/${merchant_id}`)}">${of}</a>` : of
  if (subject === null || subject === String(merchant_id)) return html`${merchant}`
  return html`${linked || id(subject)}<span class="sub">${merchant}</span>`
}

function filterFields(chosen: Filters, say: Say): Html {
  const named = (Object.keys(actWords) as ActName[])
    .map((value) => ({ value, label: say(actWords[value]) }))
    .sort((a, b) => a.label.localeCompare(b.label))
  const choices = [{ value: '', label: say(['Tous', 'All']) }, ...named]
  const fields = [
    field({
      name: 'person',
      label: say(['Adresse e-mail de la personne', 'E-mail address of the person']),
      value: chosen.person,
    }),
    select({ name: 'act', label: say(['Acte', 'Act']), value: chosen.act, choices }),
    field({
      name: 'merchant',
      label: say(['Numéro du marchand', 'Number of the merchant']),
      value: chosen.merchant,
      more: { inputmode: 'numeric' },
    }),
    field({
      name: 'on',
      label: say(['Identifiant', 'Identifier']),
      hint: say(['D’un reversement, d’une demande, d’une clé…', 'Of a settlement, a request, a key…']),
      value: chosen.on,
    }),
    field({ name: 'until', label: say(['Jusqu’au', 'Up to']), type: 'date', value: chosen.until }),
  ]
  return html`${fields}`
}

function chosenChips(request: Request, chosen: Filters) {
  const { say } = request
  const words: Readonly<Record<keyof Filters, string>> = {
    person: chosen.person,
    act: chosen.act === '' ? '' : say(actWords[chosen.act]),
    merchant: say(['Marchand {n}', 'Merchant {n}'], { n: chosen.merchant }),
    on: chosen.on,
    until: say(['Jusqu’au {day}', 'Up to {day}'], { day: chosen.until }),
  }
  return (Object.keys(words) as (keyof Filters)[])
    .filter((name) => chosen[name] !== '')
    .map((name) => ({ text: words[name], without: addressOf(request, { ...chosen, [name]: '' }) }))
}
