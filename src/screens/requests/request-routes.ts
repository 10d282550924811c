import { newestKeys } from '../../api-keys/find-keys.ts'
import type { ListedKey } from '../../api-keys/store.ts'
import { pageHead, panel } from '../../console/components.ts'
import type { ReadList } from '../../console/lists/define-list.ts'
import { fieldsOf } from '../../console/lists/define-list.ts'
import { drawList, readList } from '../../console/lists/draw-list.ts'
import { defineConsoleScreen, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { html } from '../../platform/http/html.ts'
import type { Db, Sql } from '../../platform/postgres/database.ts'
import type { LoggedRequest } from '../../request-log/store.ts'
import { fileScreen } from '../lists/list-screens.ts'
import { requestList } from './request-list.ts'

export type RequestScreenDeps = { readonly sql: Sql; readonly reads: Db }

/** The most keys that the filter offers. */
const KEYS_OFFERED = 50

export const getRequests = defineConsoleScreen<RequestScreenDeps>({
  method: 'GET',
  path: '/requests',
  query: [...fieldsOf(requestList).map(({ name }) => name), 'after'],
  operation: 'consoleRequests',
  summary: 'The calls of a merchant and how each was answered',
  right: 'requests.read',
  menu: { group: 'developers', icon: 'log', words: ['Journal des requêtes', 'Request log'] },
  async handle(request, { sql, reads }) {
    const keys = (await newestKeys(sql, request.tenant, { limit: KEYS_OFFERED, after: null })).rows
    return requestsView(request, keys, await readList(requestList, request, reads, null))
  },
})

export const requestScreens = [getRequests, fileScreen(requestList)] as const

/** The page of the log. @param keys the keys that its filter offers */
function requestsView(
  request: ScreenRequest<'console'>,
  keys: readonly ListedKey[],
  requests: ReadList<LoggedRequest>,
): ScreenView {
  const { say } = request
  const { page } = requests
  const title = say(requestList.title)
  const names = { key: new Map(keys.map((key) => [key.key_id, key.name ?? key.key_id])) }
  const { tabs, filters, chips, rows, turns } = drawList(request, requestList, requests, { names })
  const lead = say(['Trente jours. Les secrets n’y sont pas.', 'Thirty days, without secrets.'])
  const main = html`${pageHead({ title, lead })}
${tabs}${filters}
${chips}
${panel(null, rows, { flush: page.rows.length > 0 })}
${turns}`
  const shown = page.rows.map(({ merchant_id: _, ...row }) => row)
  return { kind: 'view', title, main, facts: { requests: shown, after: page.after } }
}
