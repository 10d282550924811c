import { id, type StatusShape, status } from '../../console/components.ts'
import { plain } from '../../console/lists/columns.ts'
import { defineList } from '../../console/lists/define-list.ts'
import { ofResource, states, text } from '../../console/lists/filters.ts'
import { html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { findRequest } from '../../request-log/find-request.ts'
import { isPlace, listRequests, type RequestFilters } from '../../request-log/list-requests.ts'
import type { LoggedRequest } from '../../request-log/store.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Page, PageWanted } from '../../values/page.ts'
import { nounOf, subjectLink } from '../subject-link.ts'

/** A method and the pattern of a route. */
const OPERATION = /^([A-Z]{3,7}) +(\/\S*)$/i

/** The calls of a merchant in the last thirty days, and how each was answered. */
export const requestList = defineList({
  name: 'requests',
  path: '/requests',
  right: 'requests.read',
  title: ['Journal des requêtes', 'Request log'],
  filters: [
    states('status', {
      label: ['Réponse', 'Answer'],
      all: ['Toutes', 'All'],
      words: {
        '2xx': ['Faites (2xx)', 'Done (2xx)'],
        '4xx': ['Refusées (4xx)', 'Refused (4xx)'],
        '5xx': ['Pannes (5xx)', 'Errors (5xx)'],
      },
      part: (status) => ({ status }),
    }),
    text('operation', {
      read: (typed) => (OPERATION.test(typed) ? typed : null),
      label: ['Opération', 'Operation'],
      hint: ['Comme POST /v1-payments.', 'Such as POST /v1-payments.'],
      option: { says: 'only calls of this route', must: "must be a method and a route, such as 'POST /v1-payments'." },
      part: (operation) => ({ operation: operation === null ? null : operationOf(operation) }),
    }),
    ofResource('key', {
      reads: () => true,
      offered: { label: ['Clé', 'Key'], all: ['Toutes', 'All'] },
      part: (key_id) => ({ key_id }),
    }),
    text('request_id', {
      label: ['Numéro de requête', 'Request id'],
      hint: ['Le Service-Request-Id de la réponse.', 'The Service-Request-Id of the answer.'],
      option: { says: 'only the call with this Service-Request-Id' },
      part: (request_id) => ({ request_id }),
    }),
  ],
  filtered: ['Filtrer', 'Filter'],
  cursor: { field: 'after', reads: isPlace },
  read: readRequests,
  columns: [
    (request) => ({
      title: request.say(['Requête', 'Request']),
      kind: 'k',
      all: true,
      cell({ method, path, request_id, subject_id }) {
        const call = html`${id(`${method} ${path}`)}<span class="sub id">${request_id}</span>`
        if (subject_id === null) return call
        const subject = { noun: nounOf(subject_id, path), id: subject_id, words: id(subject_id) }
        return html`${call}<span class="sub">${subjectLink(request, subject)}</span>`
      },
    }),
    ({ say }) => ({
      title: say(['Réponse', 'Answer']),
      kind: 's',
      cell({ status: answered, error_code }) {
        const code = error_code !== null && html`<span class="sub id">${error_code}</span>`
        return html`${status(shapeOf(answered), String(answered))}${code}`
      },
    }),
    ({ say }, { key: names }) => ({
      title: say(['Clé', 'Key']),
      kind: '',
      label: say(['Clé', 'Key']),
      cell: ({ key_id }) => names?.get(key_id) ?? id(key_id),
    }),
    plain(['Adresse', 'Address'], ({ address }) => address),
    ({ say }) => ({ title: say(['Durée', 'Time']), kind: 'w', cell: ({ duration_ms }) => `${duration_ms} ms` }),
    ({ say, language }) => ({
      title: say(['Quand', 'When']),
      kind: 't',
      cell: ({ requested_at }) => writeShortDate(requested_at, language),
    }),
  ],
  size: 'many',
  none: {
    icon: 'log',
    title: ['Aucune requête ici', 'No request here'],
    text: [
      'Le journal garde trente jours. Un appel sans clé connue n’y est pas.',
      'The log keeps thirty days. It has no calls without a valid key.',
    ],
  },
  file: {
    requested_at: (row) => row.requested_at,
    request_id: (row) => row.request_id,
    method: (row) => row.method,
    path: (row) => row.path,
    status: (row) => row.status,
    error_code: (row) => row.error_code,
    subject_id: (row) => row.subject_id,
    key_id: (row) => row.key_id,
    address: (row) => row.address,
    duration_ms: (row) => row.duration_ms,
  },
})

type Wanted = RequestFilters & { readonly request_id: string | null }

/** Reads a page of the log. A call that is named by its id is the only row, whatever the other filters are. */
async function readRequests(
  db: Db,
  tenant: Tenant,
  { request_id, ...filters }: Wanted,
  page: PageWanted,
): Promise<Page<LoggedRequest>> {
  if (request_id === null) {
    const { requests, after } = await listRequests(db, tenant, { ...filters, ...page })
    return { rows: requests, after }
  }
  const found = await findRequest(db, { request_id, tenant })
  return { rows: 'kind' in found ? [] : [found], after: null }
}

function operationOf(typed: string): { method: string; path: string } {
  const [, method = '', path = ''] = OPERATION.exec(typed) ?? []
  return { method: method.toUpperCase(), path }
}

function shapeOf(answered: number): StatusShape {
  if (answered >= 300) return 'bad'
  return answered === 202 ? 'wait' : 'ok'
}
