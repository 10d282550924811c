import { needed } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineConsoleScreen, type ScreenRequest } from '../../console/screen.ts'
import { looksLikeId } from '../../values/ids.ts'
import { createLink, type LinkCreated, type LinkDeps } from '../create-link.ts'
import { showLinks } from '../find-links.ts'
import { readCashiersOf } from '../till/cashiers.ts'
import { startOfDay } from '../till/day.ts'
import { readTillTakings } from '../till/till-store.ts'
import { type LinkScreenDeps, prepareLink } from './link-routes.ts'
import { tillsView } from './till-view.ts'

type Request = ScreenRequest<'console'>

/** Tills on a page. A merchant has a handful. */
const PAGE = 50

async function show(request: Request, { links }: LinkScreenDeps, errors: readonly FieldError[] = []) {
  const { tenant, query, can } = request
  if (!can('payments.read')) return absent
  const after = query.get('after') ?? ''
  const wanted = { situation: null, text: null, created_from: null, created_before: null, permanent: true }
  const page = { limit: PAGE, after: looksLikeId('lnk', after) ? after : null }
  const tills = await showLinks(links, tenant, wanted, page)
  const link_ids = tills.rows.map(({ link_id }) => link_id)
  const [cashiers, takings] = await Promise.all([
    readCashiersOf(links.sql, tenant, link_ids),
    readTillTakings(links.sql, { ...tenant, link_ids }, startOfDay(links.clock.now())),
  ])
  const rows = tills.rows.map((till) => ({
    ...till,
    people: (cashiers.get(till.link_id) ?? []).map(({ name }) => name),
    today: takings.find(({ link_id }) => link_id === till.link_id)?.amount ?? 0,
  }))
  return tillsView(request, { ...tills, rows }, errors)
}

export const getTills = defineConsoleScreen<LinkScreenDeps>({
  method: 'GET',
  path: '/tills',
  query: ['after'],
  operation: 'consoleTills',
  summary: 'The permanent codes of a shop and its tills, and what each brought',
  right: 'payments.read',
  menu: { group: 'received', icon: 'shop', words: ['Boutiques et caisses', 'Shops and tills'] },
  handle: (request, deps) => show(request, deps),
})

/** A till is a link without an end that any number of people pay, each an amount of their own. Its payments know it by their link. */
const postTill = consoleAct<LinkDeps, LinkCreated, LinkScreenDeps & ActScreenDeps & LinkDeps>(createLink, {
  path: '/tills',
  back: ({ at }) => at('/tills'),
  prepare: prepareLink,
  text: (request, name) => (name === 'reusable' ? 'yes' : name === 'description' ? needed(name)(request, name) : ''),
  done: (_, { link_id }) => `/links/${link_id}?done=till_ready`,
  again: (request, deps, errors) => show(request, deps, errors),
})

export const tillScreens = [getTills, postTill] as const
