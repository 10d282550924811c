import { needed } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { fieldsOf } from '../../console/lists/define-list.ts'
import { readList } from '../../console/lists/draw-list.ts'
import { absent, defineConsoleScreen, type ScreenRequest } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Addresses } from '../addresses.ts'
import { closeLink } from '../close-link.ts'
import { createLink, type LinkCreated, type LinkDeps } from '../create-link.ts'
import { showOwnLink } from '../find-links.ts'
import { assignCashier, releaseCashier } from '../till/assign-cashier.ts'
import { findCashiers, isOfTills, readCashiersOf, readOwnTills } from '../till/cashiers.ts'
import { startOfDay } from '../till/day.ts'
import { endPhone } from '../till/end-phone.ts'
import { invitePhone, type PhoneInvited, type TillDeps } from '../till/invite-phone.ts'
import { readPhonesOf, readTillTakings } from '../till/till-store.ts'
import type { TillTeam } from './cashiers-panel.ts'
import { linkList } from './link-list.ts'
import { linkView } from './link-page.ts'
import { linksView, nothingTyped, type TypedLink } from './link-views.ts'
import { withAddresses } from './phones-panel.ts'

export type LinkScreenDeps = {
  readonly links: {
    readonly sql: Sql
    readonly clock: Clock
    readonly addresses: Addresses
    /** The most that a payer of this merchant can pay, in francs. */
    readonly amountMax: (tenant: Tenant) => Promise<number>
  }
}
type Request = ScreenRequest<'console'>

const PAGE = 50

/** Shows one link. `absent` when it is not this caller's. */
async function showOne(
  request: Request,
  { links }: LinkScreenDeps,
  { id = request.params.id!, refused }: { id?: string; refused?: string } = {},
) {
  const { tenant, query, can } = request
  if (!can('payments.read') && !(await isOwnTill(request, links.sql, id))) return absent
  const found = await showOwnLink(links, tenant, id, { limit: PAGE, after: query.get('after') })
  if (found === null) return absent
  const till = found.link.reusable && can('team.manage')
  const phones = till ? await readPhonesOf(links.sql, { ...tenant, link_id: id }) : null
  const shown = phones && withAddresses(phones, links.addresses)
  const team = till ? await readTeam(links, tenant, id) : null
  return linkView(request, { ...found, phones: shown, team, ...(refused !== undefined && { refused }) })
}

/** Whether a link is a till of the reader, or was sent from one. A cashier sees no other. */
async function isOwnTill({ tenant, session }: Request, sql: Sql, id: string): Promise<boolean> {
  return isOfTills(sql, tenant, id, await readOwnTills(sql, tenant, session.person.person_id))
}

async function readTeam(
  { sql, clock }: LinkScreenDeps['links'],
  tenant: Request['tenant'],
  id: string,
): Promise<TillTeam> {
  const [placed, cashiers, takings] = await Promise.all([
    readCashiersOf(sql, tenant, [id]),
    findCashiers(sql, tenant.merchant_id),
    readTillTakings(sql, { ...tenant, link_ids: [id] }, startOfDay(clock.now())),
  ])
  const here = placed.get(id) ?? []
  const others = cashiers.filter(({ person_id }) => !here.some((cashier) => cashier.person_id === person_id))
  return { at: here, others, count: takings[0]?.count ?? 0, amount: takings[0]?.amount ?? 0 }
}

async function show(
  request: Request,
  deps: LinkScreenDeps,
  more: { typed?: TypedLink; errors?: readonly FieldError[] } = {},
) {
  // A cashier may make a link, and not read those of others in the answer to a form that cannot be read.
  if (!request.can('payments.read')) return absent
  const links = await readList(linkList, request, deps.links.sql, deps)
  return linksView(request, { links, typed: nothingTyped, errors: [], ...more })
}

export const getLinks = defineConsoleScreen<LinkScreenDeps>({
  method: 'GET',
  path: '/links',
  query: [...fieldsOf(linkList).map(({ name }) => name), 'after'],
  operation: 'consoleLinks',
  summary: 'The payment links of a merchant and what each brought',
  right: 'payments.read',
  menu: { group: 'received', icon: 'link', words: ['Liens de paiement', 'Payment links'] },
  handle: (request, deps) => show(request, deps),
})

export const getLink = defineConsoleScreen<LinkScreenDeps>({
  method: 'GET',
  path: '/links/:id',
  query: ['after'],
  operation: 'consoleLink',
  summary: 'One payment link and the payments that it brought',
  right: 'links.read',
  handle: (request, deps) => showOne(request, deps),
})

const postLink = consoleAct<LinkDeps, LinkCreated, LinkScreenDeps & ActScreenDeps & LinkDeps>(createLink, {
  path: '/links',
  back: ({ at }) => at('/links'),
  prepare: prepareLink,
  // A link that people make here says what it is for.
  text: needed('description'),
  done: (_, { link_id }) => `/links/${link_id}?done=created`,
  again: (request, deps, errors) => show(request, deps, { typed: typedIn(request), errors }),
})

/** The most of an amount. A cashier asks for payments at their tills alone (`/pay`), and these forms are absent for them. */
export async function prepareLink<Deps extends LinkScreenDeps>({ tenant, can }: Request, deps: Deps) {
  if (!can('payments.read')) return absent
  return { ...deps, amount_max: await deps.links.amountMax(tenant) }
}

function typedIn({ fields }: Request): TypedLink {
  const reusable = fields.all('reusable').includes('yes')
  return {
    description: fields.text('description'),
    amount: fields.text('amount'),
    reusable,
    until: fields.text('until'),
    reference: fields.text('reference'),
    whatsapp: fields.text('whatsapp'),
  }
}

const postLinkClose = consoleAct(closeLink, {
  path: '/links/:id/close',
  back: ({ at, params }) => at(`/links/${params.id}`),
  done: ({ params }) => `/links/${params.id}?done=closed`,
  again: (request, deps: LinkScreenDeps & ActScreenDeps, [error]) =>
    showOne(request, deps, error === undefined ? {} : { refused: error.text }),
})

const postPhone = consoleAct<TillDeps, PhoneInvited, LinkScreenDeps & ActScreenDeps & TillDeps>(invitePhone, {
  path: '/links/:id/phones',
  back: ({ at, params }) => at(`/links/${params.id}`),
  done: ({ params }) => `/links/${params.id}?done=phone_invited`,
  again: (request, deps, [error]) => showOne(request, deps, error === undefined ? {} : { refused: error.text }),
})

const postPhoneEnd = consoleAct(endPhone, {
  path: '/links/:link/phones/:id/end',
  back: ({ at, params }) => at(`/links/${params.link}`),
  done: ({ params }) => `/links/${params.link}?done=phone_ended`,
  again: (request, deps: LinkScreenDeps & ActScreenDeps, [error]) =>
    showOne(request, deps, { id: request.params.link!, ...(error !== undefined && { refused: error.text }) }),
})

const ofTill = {
  back: ({ at, params }: Request) => at(`/links/${params.id}`),
  again: (request: Request, deps: LinkScreenDeps & ActScreenDeps, [error]: readonly FieldError[]) =>
    showOne(request, deps, error === undefined ? {} : { refused: error.text }),
}

const postCashier = consoleAct(assignCashier, {
  ...ofTill,
  path: '/links/:id/cashiers',
  done: ({ params }) => `/links/${params.id}?done=cashier_placed`,
})

const postCashierOff = consoleAct(releaseCashier, {
  ...ofTill,
  path: '/links/:id/cashiers/off',
  done: ({ params }) => `/links/${params.id}?done=cashier_off`,
})

export const linkScreens = [
  ...[getLinks, getLink, postLink, postLinkClose, postPhone, postPhoneEnd],
  ...[postCashier, postCashierOff],
] as const
