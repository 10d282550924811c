import { feeAt, feesAt, type MerchantSettings, type ReadSettings } from '../../merchants/fees.ts'
import { readShownMerchant, type ShownMerchant } from '../../merchants/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { isOperatorCode, type OperatorCode, operatorCodes } from '../../values/operators.ts'
import { shortCode, shortReference } from '../../values/short-reference.ts'
import type { Addresses } from '../addresses.ts'
import { mayAttempt } from '../decide-attempt.ts'
import { type LinkRow, linkSituation, outsideBounds } from '../link.ts'
import { decideTerms, type InAddress, queryOfAddress, type Terms } from '../link-address.ts'
import { readLink } from '../link-store.ts'
import type { Nonces } from '../nonces.ts'
import type { Receipts } from '../receipts.ts'
import type { SessionRow } from '../session.ts'
import { readSession } from '../store.ts'
import type { AttemptFacts, LinkFacts, Price, Receipt, SessionFacts } from './facts.ts'
import { type AttemptRow, readAttempt } from './store.ts'

export type PageDependencies = {
  sql: Sql
  clock: Clock
  brand_name: string
  addresses: Addresses
  nonces: Nonces
  receipts: Receipts
  settings: ReadSettings
  /** Whether a merchant can be paid through an operator now. */
  takes: (merchant: Tenant, operator: OperatorCode) => boolean
  /** Whether we send payments to an operator at the moment. False while it does not answer. */
  answers: (merchant: Tenant, operator: OperatorCode) => boolean
  /** Whether an operator accepts this amount, in francs. True when its limits are unknown. */
  fits: (merchant: Tenant, operator: OperatorCode, amount_collected: number) => boolean
  /** Whether many payments of this mode through an operator have failed lately. */
  fails: (merchant: Pick<Tenant, 'livemode'>, operator: OperatorCode) => boolean
}

type Session = SessionRow & { is_over: boolean }

/** The facts for the page of a session. Null when the session does not exist. */
export async function readSessionFacts(
  deps: PageDependencies,
  key: Tenant & { session_id: string },
): Promise<SessionFacts | null> {
  const [read, settings] = await Promise.all([readTogether(deps.sql, key), deps.settings(key.merchant_id)])
  if (read === null) return null
  const { session, merchant, link, attempt } = read
  const refused = mayAttempt(session, link)
  const reference_in_address = isOfAddress(session, link)
  const named = { ...session, reference_in_address }
  const status = refused === 'lien_indisponible' ? unavailableAs(link!) : statusNow(session)
  const price = attempt === null || refused === null ? priceOf(deps, settings, session.amount) : paidPrice(attempt)
  const paid = status === 'paid' && attempt?.succeeded_at != null
  return {
    ...offer(deps, named, merchant, deps.addresses.sessionPath(session.id), session.id, price),
    kind: 'session',
    ...price,
    status,
    expires_at: session.expires_at.toISOString(),
    payable: refused === null && merchant.active && attempt?.in_doubt !== true,
    attempt: attempt === null ? null : attemptFacts(attempt, session.attempts),
    return_url: paid ? session.return_url : null,
    receipt: paid ? receiptOf(deps, named, { merchant_name: merchant.name, link }, attempt) : null,
  }
}

/** Reads everything in one snapshot, so that the session and its attempt agree. */
function readTogether(sql: Sql, key: Tenant & { session_id: string }) {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const session = await readSession(tx, key)
    if (session === null) return null
    const { merchant_id, livemode, link_id, payment_id } = session
    const [merchant, link, attempt] = await Promise.all([
      readShownMerchant(tx, merchant_id),
      link_id === null ? null : readLink(tx, { merchant_id, livemode, link_id }),
      payment_id === null ? null : readAttempt(tx, { merchant_id, livemode, payment_id }),
    ])
    return { session, merchant, link, attempt }
  })
}

/** Whether a session has its reference from the address of its link: the link has none. */
function isOfAddress({ reference }: SessionRow, link: LinkRow | null): boolean {
  return reference !== null && link !== null && link.reference !== reference
}

/** The status of a session whose link accepts no attempt. `busy` while another payer holds the link, because the link can be free again. */
function unavailableAs(link: LinkRow): 'busy' | 'closed' {
  return linkSituation(link) === 'busy' ? 'busy' : 'closed'
}

/** A session expires at its time, even before the sweep, but never during an attempt. */
function statusNow({ status, attempt_live, is_over }: Session): SessionFacts['status'] {
  return status === 'open' && is_over && !attempt_live ? 'expired' : status
}

/**
 * The facts for the page of a link, for a visitor without a session.
 * @param chosen the payer's amount for a link with a free amount; null before the choice
 * @param address what the address of the page carries
 * @returns null when the link does not exist; a code when its amount cannot be read, or when it does not allow this address
 */
export async function readLinkFacts(
  deps: PageDependencies,
  key: Tenant & { link_id: string },
  { chosen, address }: { chosen: number | null; address: InAddress },
): Promise<LinkFacts | Exclude<ReturnType<typeof decideTerms>, Terms> | null> {
  const link = await readLink(deps.sql, key)
  if (link === null) return null
  const terms = decideTerms(link, address)
  if (typeof terms === 'string') return terms
  const { asked, reference, reference_in_address } = terms
  const [merchant, settings] = await Promise.all([
    readShownMerchant(deps.sql, link.merchant_id),
    deps.settings(link.merchant_id),
  ])
  const status = linkSituation(link)
  const schedule = feeAt(settings.fee_schedules, 'collection', deps.clock.now())
  const price = asked.kind === 'fixed' ? priceOf(deps, settings, asked.amount) : null
  const offered = offer(
    deps,
    { ...link, reference, reference_in_address },
    merchant,
    deps.addresses.linkPath(link.id),
    link.id,
    price,
  )
  // An amount outside the link's own bounds has its own refusal.
  const tried = price !== null || chosen === null || outsideBounds(asked, chosen) !== null ? null : chosen
  const kept = queryOfAddress(address)
  const collected = tried === null ? null : priceOf(deps, settings, tried).amount_collected
  return {
    ...offered,
    ...(kept !== '' && { url: `${offered.url}?${kept}` }),
    ...(collected === null ? {} : { out_of_bounds_operators: outOfBounds(deps, link, offered.operators, collected) }),
    kind: 'link',
    in_address: address,
    status,
    payable: status === 'open' && merchant.active,
    price,
    min_amount: asked.kind === 'free' ? asked.min_amount : null,
    max_amount: asked.kind === 'free' ? asked.max_amount : null,
    fee_on_top: asked.kind === 'free' && schedule?.bearer === 'payer',
    expires_at: link.expires_at?.toISOString() ?? null,
  }
}

/** The operators that are known not to accept an amount. */
function outOfBounds(
  { fits }: PageDependencies,
  { merchant_id, livemode }: Pick<SessionRow | LinkRow, 'merchant_id' | 'livemode'>,
  operators: readonly OperatorCode[],
  amount_collected: number,
): OperatorCode[] {
  return operators.filter((operator) => !fits({ merchant_id, livemode }, operator, amount_collected))
}

type OfAddress = Pick<SessionFacts, 'reference_in_address'>
type Offered = Pick<SessionRow | LinkRow, 'merchant_id' | 'livemode' | 'description' | 'reference'> & OfAddress

/**
 * The facts that sessions and links share.
 * @param price null when the payer has not chosen the amount yet
 */
function offer(
  deps: PageDependencies,
  { merchant_id, livemode, description, reference, reference_in_address }: Offered,
  merchant: ShownMerchant,
  address: string,
  subject_id: string,
  price: Price | null,
) {
  const { brand_name, nonces, addresses, takes, answers, fails } = deps
  const taking = operatorCodes.filter((operator) => takes({ merchant_id, livemode }, operator))
  const out_of_bounds_operators =
    price === null ? [] : outOfBounds(deps, { merchant_id, livemode }, taking, price.amount_collected)
  const operators = taking.filter((operator) => !out_of_bounds_operators.includes(operator))
  const url = addresses.origin() + address
  const isUnavailable = (operator: OperatorCode) => !answers({ merchant_id, livemode }, operator)
  return {
    brand_name,
    merchant_name: merchant.name,
    merchant_color: merchant.color,
    merchant_logo: merchant.logo,
    livemode,
    description,
    reference,
    reference_in_address,
    operators,
    unavailable_operators: operators.filter(isUnavailable),
    failing_operators: operators.filter((operator) => !isUnavailable(operator) && fails({ livemode }, operator)),
    out_of_bounds_operators,
    address,
    url,
    nonce: nonces.make(subject_id),
  }
}

/** The price that the payer of a session would pay now. Null when the session accepts no attempt now. */
export async function readPriceNow(
  deps: PageDependencies,
  key: Tenant & { session_id: string },
): Promise<Price | null> {
  const session = await readSession(deps.sql, key)
  if (session === null || session.status !== 'open' || session.attempt_live || session.is_over) return null
  return priceOf(deps, await deps.settings(key.merchant_id), session.amount)
}

/** The present price of an amount for the payer. It leaves out a fee that the merchant bears. */
export function priceOf({ clock }: Pick<PageDependencies, 'clock'>, settings: MerchantSettings, amount: number): Price {
  const { amount_collected } = feesAt(settings, 'collection', amount, clock.now())
  return { amount, fee_amount: amount_collected - amount, amount_collected }
}

/** The price of a payment, with the fee that its creation fixed. */
function paidPrice({ amount, amount_collected }: AttemptRow): Price {
  return { amount, fee_amount: amount_collected - amount, amount_collected }
}

function attemptFacts(row: AttemptRow, number: number): AttemptFacts {
  const { payment_id, status, msisdn_end, amount_collected, failure_code, code_submitted, in_doubt } = row
  return {
    number,
    payment_id,
    status,
    operator: operatorOf(row),
    msisdn_end,
    amount_collected,
    failure_code,
    next_action: status === 'pending' && !code_submitted ? row.next_action : null,
    code_submitted,
    in_doubt,
    created_at: row.created_at.toISOString(),
    ended_at: (row.succeeded_at ?? row.ended_at)?.toISOString() ?? null,
  }
}

function receiptOf(
  { receipts, addresses }: PageDependencies,
  { merchant_id, livemode, description, reference, reference_in_address }: SessionRow & OfAddress,
  { merchant_name, link }: { merchant_name: string; link: LinkRow | null },
  row: AttemptRow,
): Receipt {
  const claim = {
    ...paidPrice(row),
    merchant_name,
    livemode,
    payment_id: row.payment_id,
    operator: operatorOf(row),
    paid_at: row.succeeded_at!.toISOString(),
  }
  const signed_text = receipts.signedText({ ...claim, merchant_id })
  return {
    ...claim,
    description,
    short_reference: shortReference(row.payment_id),
    code: shortCode(row.payment_id),
    whatsapp: link?.whatsapp ?? null,
    merchant_reference: row.merchant_reference ?? reference,
    reference_in_address: row.merchant_reference === null && reference_in_address,
    msisdn_end: row.msisdn_end,
    status: row.status as Receipt['status'],
    signed_text,
    verify_url: `${addresses.origin()}/verify?receipt=${signed_text}`,
  }
}

function operatorOf({ operator }: AttemptRow): OperatorCode | null {
  return operator !== null && isOperatorCode(operator) ? operator : null
}
