import { absent, defineDeskScreen, type ScreenRequest } from '../../console/screen.ts'
import { listMerchants } from '../../merchants/find-merchants.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { type MerchantDeps, readMerchantFile } from './merchant-facts.ts'
import { merchantListView, merchantView } from './merchant-view.ts'

/** Merchants of one page. */
const PAGE = 50
/** Characters of a search at most; the longest name has 200. */
const SEARCH_MAX = 200

export const getMerchants = defineDeskScreen<{ sql: Sql }>({
  method: 'GET',
  path: '/merchants',
  operation: 'deskMerchants',
  summary: 'Find a merchant by its name or number',
  right: 'merchants.read',
  menu: { group: 'clients', icon: 'shop', words: ['Marchands', 'Merchants'], dock: ['Marchands', 'Merchants'] },
  async handle(request, { sql }) {
    const search = (request.query.get('q') ?? '').trim().slice(0, SEARCH_MAX)
    const after = merchantIdIn(request.query.get('after') ?? '')
    const wanted = { limit: PAGE, after: after === null ? null : String(after) }
    return merchantListView(request, search, await listMerchants(sql, wanted, search === '' ? null : search))
  },
})

export const getMerchant = defineDeskScreen<MerchantDeps>({
  method: 'GET',
  path: '/merchants/:id',
  operation: 'deskMerchant',
  summary: 'Read one merchant: standing, money, terms, people and cases',
  right: 'merchants.read',
  async handle(request, deps) {
    const tenant = tenantIn(request)
    const file = tenant === null ? null : await readMerchantFile(deps, tenant)
    return file === null ? absent : merchantView(request, file, deps.clock.now())
  },
})

/** The merchant that the address names, in the mode of the desk; null: no number of a merchant. It need not exist. */
export function tenantIn({ params, livemode }: ScreenRequest<'desk'>): Tenant | null {
  const merchant_id = merchantIdIn(params.id ?? '')
  return merchant_id === null ? null : { merchant_id, livemode }
}

function merchantIdIn(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}

export const merchantScreens = [getMerchants, getMerchant] as const
