import { newestKeys } from '../../api-keys/find-keys.ts'
import type { ListedKey } from '../../api-keys/store.ts'
import { blank, id, pageHead, panel, status } from '../../console/components.ts'
import { field, select } from '../../console/forms.ts'
import { chips, filteredAddress, filters, leftOut, list, pages, tabs, unreadFilters } from '../../console/list.ts'
import type { Words } from '../../console/say.ts'
import { defineConsoleScreen, type ScreenAnswer, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import type { ExportRequests } from '../../listings/export-requests.ts'
import { html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Db, Sql } from '../../platform/postgres/database.ts'
import { findRequest } from '../../request-log/find-request.ts'
import { listRequests, type RequestFilters, type StatusClass } from '../../request-log/list-requests.ts'
import type { LoggedRequest } from '../../request-log/store.ts'
import { exportAnswer, refuseFilters } from '../lists/file-answer.ts'

import { nounOf, subjectLink } from '../subject-link.ts'

export type RequestScreenDeps = { readonly sql: Sql; readonly reads: Db; readonly exportRequests: ExportRequests }
type Request = ScreenRequest<'console'>

const PAGE = 50
/** The most keys that the filter offers. */
const KEYS_OFFERED = 50

const classes: readonly (readonly [StatusClass | '', Words])[] = [
  ['', ['Toutes', 'All']],
  ['2xx', ['Faites (2xx)', 'Done (2xx)']],
  ['4xx', ['Refusées (4xx)', 'Refused (4xx)']],
  ['5xx', ['Pannes (5xx)', 'Errors (5xx)']],
]

/** The filters in the address. An invalid value counts as absent. */
type Filters = { status: StatusClass | ''; operation: string; key: string; request_id: string }

function filtersIn({ query }: Request): Filters {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 200)
  const status = classes.find(([name]) => name === text('status'))?.[0] ?? ''
  return { status, operation: text('operation'), key: text('key'), request_id: text('request_id') }
}

/** Converts the filters to those of the log. `unread`: the typed operation is none, and so is not applied. */
function logFilters({ status, operation, key }: Filters): RequestFilters & { readonly unread: boolean } {
  const [, method = '', path = ''] = /^([A-Z]{3,7}) +(\/\S*)$/i.exec(operation) ?? []
  return {
    status: status === '' ? null : status,
    operation: method === '' ? null : { method: method.toUpperCase(), path },
    key_id: key === '' ? null : key,
    unread: operation !== '' && method === '',
  }
}

export const getRequests = defineConsoleScreen<RequestScreenDeps>({
  method: 'GET',
  path: '/requests',
  query: ['status', 'operation', 'key', 'request_id', 'after'],
  operation: 'consoleRequests',
  summary: 'The calls of a merchant and how each was answered',
  right: 'requests.read',
  menu: { group: 'developers', icon: 'log', words: ['Journal des requêtes', 'Request log'] },
  async handle(request, { sql, reads }) {
    const { tenant, query } = request
    const chosen = filtersIn(request)
    const keys = (await newestKeys(sql, tenant, { limit: KEYS_OFFERED, after: null })).rows
    if (chosen.request_id !== '') {
      const found = await findRequest(reads, { request_id: chosen.request_id, tenant })
      return requestsView(request, { chosen, keys, requests: 'kind' in found ? [] : [found], after: null })
    }
    const wanted = { ...logFilters(chosen), after: query.get('after'), limit: PAGE }
    const { requests, after } = await listRequests(reads, tenant, wanted)
    return requestsView(request, { chosen, keys, requests, after })
  },
})

const exportList = defineConsoleScreen<RequestScreenDeps>({
  method: 'GET',
  path: '/requests/export',
  query: ['status', 'operation', 'key', 'format'],
  operation: 'requestsExport',
  summary: 'All calls in the log that the filters match, as a file',
  right: 'exports.take',
  takes_file: true,
  async handle(request, { exportRequests }): Promise<ScreenAnswer> {
    const { tenant, can } = request
    if (!can('requests.read')) return { kind: 'not_permitted', right: 'requests.read' }
    const chosen = filtersIn(request)
    const { unread, ...filters } = logFilters(chosen)
    if (unread || unreadFilters(request, chosen).length > 0) return refuseFilters(request, '/requests')
    return exportAnswer(request, '/requests', (file) => exportRequests({ tenant, filters, file }))
  },
})

export const requestScreens = [getRequests, exportList] as const

type Shown = {
  chosen: Filters
  keys: readonly ListedKey[]
  requests: readonly LoggedRequest[]
  after: string | null
}

function requestsView(request: Request, { chosen, keys, requests, after }: Shown): ScreenView {
  const { say, at, can, language, query } = request
  const path = at('/requests')
  const title = say(['Journal des requêtes', 'Request log'])
  const names = new Map(keys.map((key) => [key.key_id, key.name ?? key.key_id]))
  const offered = [{ value: '', label: say(['Toutes', 'All']) }].concat(
    [...names].map(([value, label]) => ({ value, label })),
  )
  const on = [
    { name: 'operation', text: chosen.operation },
    { name: 'key', text: names.get(chosen.key) ?? chosen.key },
    { name: 'request_id', text: chosen.request_id },
  ].filter(({ text }) => text !== '')
  const none = blank('log', {
    title: say(['Aucune requête ici', 'No request here']),
    text: say([
      'Le journal garde trente jours. Un appel sans clé connue n’y est pas.',
      'The log keeps thirty days. It has no calls without a valid key.',
    ]),
  })
  const table = list<LoggedRequest>({
    caption: title,
    rows: requests,
    columns: [
      {
        title: say(['Requête', 'Request']),
        kind: 'k',
        all: true,
        cell: (row) =>
          html`${id(`${row.method} ${row.path}`)}<span class="sub id">${row.request_id}</span>${row.subject_id !== null && html`<span class="sub">${subjectLink(request, { noun: nounOf(row.subject_id, row.path), id: row.subject_id, words: id(row.subject_id) })}</span>`}`,
      },
      {
        title: say(['Réponse', 'Answer']),
        kind: 's',
        cell: (row) =>
          html`${status(row.status < 300 ? (row.status === 202 ? 'wait' : 'ok') : 'bad', String(row.status))}${row.error_code !== null && html`<span class="sub id">${row.error_code}</span>`}`,
      },
      {
        title: say(['Clé', 'Key']),
        kind: '',
        label: say(['Clé', 'Key']),
        cell: (row) => names.get(row.key_id) ?? id(row.key_id),
      },
      { title: say(['Adresse', 'Address']), kind: '', label: say(['Adresse', 'Address']), cell: (row) => row.address },
      { title: say(['Durée', 'Time']), kind: 'w', cell: (row) => `${row.duration_ms} ms` },
      { title: say(['Quand', 'When']), kind: 't', cell: (row) => writeShortDate(row.requested_at, language) },
    ],
  })
  const fields = html`${field({ name: 'operation', label: say(['Opération', 'Operation']), hint: say(['Comme POST /v1-payments.', 'Such as POST /v1-payments.']), value: chosen.operation })}${select({ name: 'key', label: say(['Clé', 'Key']), value: chosen.key, choices: offered })}${field({ name: 'request_id', label: say(['Numéro de requête', 'Request id']), hint: say(['Le Service-Request-Id de la réponse.', 'The Service-Request-Id of the answer.']), value: chosen.request_id })}`
  const older = after === null ? null : filteredAddress(path, { ...chosen, after })
  const main = html`${pageHead({ title, lead: say(['Trente jours. Les secrets n’y sont pas.', 'Thirty days, without secrets.']) })}
${tabs(
  say,
  ['Réponse', 'Answer'],
  classes.map(([name, words]) => ({
    words,
    to: filteredAddress(path, { ...chosen, status: name }),
    current: name === chosen.status,
  })),
)}
${filters(say, say(['Filtrer', 'Filter']), fields, chosen.status === '' ? {} : { status: chosen.status })}
${logFilters(chosen).unread && leftOut(say, [chosen.operation])}
${chips(
  say,
  on.map(({ name, text }) => ({ text, without: filteredAddress(path, { ...chosen, [name]: '' }) })),
  can('exports.take') && requests.length > 0 && chosen.request_id === ''
    ? (format) => filteredAddress(`${path}/export`, { ...chosen, format })
    : null,
)}
${panel(null, requests.length === 0 ? none : table, { flush: requests.length > 0 })}
${pages(say, { newer: query.has('after') ? filteredAddress(path, chosen) : null, older })}`
  const shown = requests.map(({ merchant_id: _, ...row }) => row)
  return { kind: 'view', title, main, facts: { requests: shown, after } }
}
