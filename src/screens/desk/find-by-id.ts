import { findProposal } from '../../acts/proposal-store.ts'
import { findAnomalyOfProposal } from '../../anomalies/store.ts'
import { findKey } from '../../api-keys/store.ts'
import { EVERY_ACT } from '../../audit-log/find-acts.ts'
import { readActs } from '../../audit-log/store.ts'
import { findDraftAnywhere } from '../../batch-files/store.ts'
import { findEntryAnywhere } from '../../beneficiaries/book-store.ts'
import { findLink } from '../../checkout/link-store.ts'
import { findSession } from '../../checkout/store.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { findMovementAnywhere } from '../../ledger/store.ts'
import { merchantOfDeposit } from '../../merchants/deposit-reference.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { findPayoutRequest } from '../../payouts/request-store.ts'
import { readPersonBehind } from '../../people/directory-store.ts'
import { findVisitAnywhere } from '../../people/visits/store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { findRequest } from '../../request-log/find-request.ts'
import { type IdPrefix, looksLikeId } from '../../values/ids.ts'
import type { StaffRight } from '../../values/rights.ts'
import { findDeliveryAnywhere, findEndpointAnywhere } from '../../webhooks/delivery-list-store.ts'
import { findEventAnywhere } from '../../webhooks/event-store.ts'
import { type ConsolePrefix, consolePageById, consolePageField } from '../merchants/console-page.ts'
import { proposalPaths } from './case-words.ts'

/** The place of a resource for a staff member. */
export type PlaceOfId =
  /** A page of this desk. For a merchant's resource it is the merchant's, with the way to its console. */
  | { readonly kind: 'page'; readonly to: string }
  /** A merchant's resource in the other mode; merchant 0: the service's own. */
  | { readonly kind: 'other_mode'; readonly merchant_id: number; readonly to: string }
  /** A person's page, which this staff member may not read. */
  | { readonly kind: 'not_permitted'; readonly right: StaffRight }

type Request = ScreenRequest<'desk'>

type OwnPage = { readonly path: string; readonly right: StaffRight }

/** The desk's own pages, by the prefix of the identifier. Settlements and refunds are results of the search. */
const ownPages = new Map<IdPrefix, OwnPage>([
  ['ano', { path: '/cases', right: 'cases.read' }],
  ['adj', { path: '/adjustments', right: 'cases.read' }],
  ['cap', { path: '/caps', right: 'cases.read' }],
  ['per', { path: '/people', right: 'people.read' }],
])
const linkedPages = new Map<IdPrefix, OwnPage>([
  ...ownPages,
  ['stl', { path: '/settlements', right: 'cases.read' }],
  ['rfd', { path: '/refunds', right: 'cases.read' }],
])

/** Finds the page of an identifier. A subject of the audit log may be a name that somebody chose, such as a connector's. */
function pageOf(pages: ReadonlyMap<IdPrefix, OwnPage>, id: string): OwnPage | null {
  for (const [prefix, page] of pages) if (looksLikeId(prefix, id)) return page
  return null
}

type Found = { readonly merchant_id: number /** Null: it belongs to both modes. */; readonly livemode: boolean | null }

/** The functions that find the merchant of a resource with a page in its console. */
const merchantsOf: Readonly<Record<ConsolePrefix, (db: Db, id: string) => Promise<Found | null>>> = {
  por: findPayoutRequest,
  cs: findSession,
  lnk: findLink,
  evt: findEventAnywhere,
  dlv: findDeliveryAnywhere,
  whe: findEndpointAnywhere,
  pbd: findDraftAnywhere,
  dep: findMovementAnywhere,
  mov: findMovementAnywhere,
  vis: findVisitAnywhere,
}

/** Returns the desk's own page of an identifier, for a person who may read it. Null when there is none. */
export function deskPageOf({ at, can }: Pick<ScreenRequest<'desk'>, 'at' | 'can'>, id: string): string | null {
  const page = pageOf(linkedPages, id)
  return page !== null && can(page.right) ? at(`${page.path}/${id}`) : null
}

/**
 * Finds the place of an identifier that names no operation, of the desk or of any merchant. Null when nothing has it.
 * @param typed the text as it was typed
 */
export async function findById(request: Request, db: Db, typed: string): Promise<PlaceOfId | null> {
  const id = typed.trim()
  return (await findPage(request, db, id)) ?? findLines(request, db, id)
}

async function findPage(request: Request, db: Db, id: string): Promise<PlaceOfId | null> {
  const own = pageOf(ownPages, id)
  if (own !== null) {
    const to = deskPageOf(request, id)
    return to === null ? { kind: 'not_permitted', right: own.right } : { kind: 'page', to }
  }
  if (looksLikeId('prp', id) || looksLikeId('rcp', id)) return findProposalPage(request, db, id)
  const depositor = merchantOfDeposit(id)
  if (depositor !== null) return toDeposit(request, db, depositor)
  if (looksLikeId('anp', id)) return pageOrNull(request, await findAnomalyOfProposal(db, id))
  if (['inv', 'ses', 'stp'].some((one) => looksLikeId(one, id))) {
    const person = await readPersonBehind(db, id)
    if (person !== null && !request.can('people.read')) return { kind: 'not_permitted', right: 'people.read' }
    return pageOrNull(request, person)
  }
  const known = consolePageById(id)
  if (known !== null) return atMerchant(request, await merchantsOf[known.prefix](db, id), known.page)
  // The id of an API key.
  if (/^[0-9a-z]{13}$/.test(id)) return atMerchant(request, await findKey(db, id, null), '/keys')
  return findByUuid(request, db, id.toLowerCase())
}

/** Finds the page of an act that waits, or waited, for a second person. */
async function findProposalPage({ at, can, livemode }: Request, db: Db, id: string): Promise<PlaceOfId | null> {
  const found = await findProposal(db, id)
  if (found === null || !can('cases.read')) return null
  const to = `${proposalPaths[found.act]}/${id}`
  if (found.livemode === livemode) return { kind: 'page', to: at(to) }
  return { kind: 'other_mode', merchant_id: found.merchant_id, to: `/desk/${modeOf(found)}${to}` }
}

/** The page on which finance books a deposit, for the reference that a merchant wrote on its transfer. */
async function toDeposit({ at, can }: Request, db: Db, merchant_id: number): Promise<PlaceOfId | null> {
  if (!can('merchants.read') || (await readMerchantName(db, merchant_id)) === null) return null
  return { kind: 'page', to: at(`/merchants/${merchant_id}/money`) }
}

/** Finds the lines of the audit log on something without a page, such as a proposal of a destination. */
async function findLines({ at, can, livemode }: Request, db: Db, id: string): Promise<PlaceOfId | null> {
  if (!can('audit.read') || !/^(?:[a-z]{2,3}_[0-9a-z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(id))
    return null
  const lines = await readActs(db, { ...EVERY_ACT, livemode, subject: id }, null, 1)
  return lines.length === 0 ? null : { kind: 'page', to: at(`/audit?on=${id}`) }
}

function pageOrNull(request: Request, id: string | null): PlaceOfId | null {
  const to = id === null ? null : deskPageOf(request, id)
  return to === null ? null : { kind: 'page', to }
}

/** Finds an entry of a book, or a call. */
async function findByUuid(request: Request, db: Db, id: string): Promise<PlaceOfId | null> {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return null
  const entry = await findEntryAnywhere(db, id)
  if (entry !== null) return atMerchant(request, entry, entry.is_destination ? '/destination' : `/beneficiaries/${id}`)
  const call = await findRequest(db, { request_id: id, tenant: null })
  return 'kind' in call ? null : atMerchant(request, call, `/requests?request_id=${id}`)
}

function atMerchant({ at, livemode: here }: Request, found: Found | null, page: string): PlaceOfId | null {
  if (found === null) return null
  const { merchant_id, livemode } = found
  const to = `/merchants/${merchant_id}?${consolePageField(page)}#look`
  if (livemode === null || livemode === here) return { kind: 'page', to: at(to) }
  return { kind: 'other_mode', merchant_id, to: `/desk/${modeOf({ livemode })}${to}` }
}

function modeOf({ livemode }: { livemode: boolean }): 'live' | 'test' {
  return livemode ? 'live' : 'test'
}
