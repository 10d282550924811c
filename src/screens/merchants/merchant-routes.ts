import { absent, defineDeskScreen } from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { listMerchants } from '../../merchants/find-merchants.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { asSeen } from '../../values/as-seen.ts'
import { merchantIdIn } from '../../values/read-typed.ts'
import { merchantCapScreens } from './caps-routes.ts'
import { checkScreens } from './check-routes.ts'
import { readConsolePage } from './console-page.ts'
import { documentScreens } from './document-routes.ts'
import { feeScreens } from './fee-routes.ts'
import { fileScreens } from './file-routes.ts'
import { readMerchantFile } from './merchant-facts.ts'
import { merchantListView, merchantView } from './merchant-view.ts'
import { moneyScreens } from './money-routes.ts'
import { newMerchantScreens } from './new-merchant-routes.ts'
import { singlePersonScreens } from './single-person-routes.ts'
import { standingScreens } from './standing-routes.ts'
import { type VisitDeps, visitScreens } from './visit-routes.ts'

/** The number of merchants on a page. */
const PAGE = 50
/** The most characters of a search: the longest name has 200. */
const SEARCH_MAX = 200

export const getMerchants = defineDeskScreen<{ sql: Sql }>({
  method: 'GET',
  path: '/merchants',
  query: ['q', 'after'],
  operation: 'deskMerchants',
  summary: 'Find a merchant by its name or number',
  right: 'merchants.read',
  menu: { group: 'clients', icon: 'shop', words: ['Marchands', 'Merchants'], dock: ['Marchands', 'Merchants'] },
  async handle(request, { sql }) {
    const search = asSeen(request.query.get('q') ?? '')
      .trim()
      .slice(0, SEARCH_MAX)
    const after = merchantIdIn(request.query.get('after') ?? '')
    const wanted = { limit: PAGE, after: after === null ? null : String(after) }
    return merchantListView(request, search, await listMerchants(sql, wanted, search === '' ? null : search))
  },
})

export const getMerchant = defineDeskScreen<VisitDeps>({
  method: 'GET',
  path: '/merchants/:id',
  query: ['operation'],
  operation: 'deskMerchant',
  summary: 'Read one merchant: status, balances, terms, people and cases',
  right: 'merchants.read',
  async handle(request, deps) {
    const tenant = tenantIn(request)
    const file = tenant === null ? null : await readMerchantFile(deps, tenant)
    if (file === null) return absent
    const { originOf, readVisit } = deps.console
    const { merchant_id } = file.merchant
    const visit = request.can('merchants.look') ? await readVisit(request.actor.person, merchant_id) : null
    const host = originOf('console') === originOf('desk') ? '' : originOf('console')
    const place = `${host}/console/${request.livemode ? 'live' : 'test'}/${merchant_id}`
    const operation = readConsolePage(request.query.get('operation'))
    return merchantView(request, file, {
      now: deps.clock.now(),
      visit: visit && { ...visit, console: place },
      operation,
    })
  },
})

export const merchantScreens = [
  getMerchants,
  ...newMerchantScreens,
  getMerchant,
  ...fileScreens,
  ...documentScreens,
  ...checkScreens,
  ...feeScreens,
  ...merchantCapScreens,
  ...standingScreens,
  ...singlePersonScreens,
  ...moneyScreens,
  ...visitScreens,
] as const
