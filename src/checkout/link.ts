import { AMOUNT_MAX } from '../values/amount.ts'
import type { Tenant } from '../values/caller.ts'

const linkStatuses = ['open', 'paid', 'closed'] as const
export type LinkStatus = (typeof linkStatuses)[number]

/** The row of a link: a fixed amount, or bounds between which its payers choose. */
export type LinkRow = Tenant & {
  id: string
  status: LinkStatus
  amount: number | null
  min_amount: number | null
  max_amount: number | null
  currency: 'XOF'
  /** False for a link that is paid once. */
  reusable: boolean
  description: string | null
  /** The merchant's own label, such as an order's number; not unique. */
  reference: string | null
  /** Digits of the number that gets the payers' receipts by WhatsApp, with the country's. */
  whatsapp: string | null
  /** The newest name in its short address, `/p/<handle>`. */
  handle: string | null
  /** The till that sent it, by its permanent code. */
  till_id: string | null
  expires_at: Date | null
  /** Not reusable: the session whose attempt is in progress. */
  taken_by: string | null
  created_at: Date
  closed_at: Date | null
  /** By the database's clock. */
  is_over: boolean
}

/** The amounts that a payer may pay on a link. */
export type LinkAmount = { kind: 'fixed'; amount: number } | { kind: 'free'; min_amount: number; max_amount: number }

/**
 * The amount of a link. Null when it is unreadable: neither an amount nor both bounds, or bounds with nothing between
 * them. The database refuses such rows, but a page must not guess an amount.
 */
export function amountOf(link: Pick<LinkRow, 'amount' | 'min_amount' | 'max_amount'>): LinkAmount | null {
  const { amount, min_amount, max_amount } = link
  const usable = (francs: number | null): francs is number =>
    francs !== null && Number.isSafeInteger(francs) && francs >= 1 && francs <= AMOUNT_MAX
  if (amount !== null)
    return usable(amount) && min_amount === null && max_amount === null ? { kind: 'fixed', amount } : null
  if (!usable(min_amount) || !usable(max_amount) || min_amount > max_amount) return null
  return { kind: 'free', min_amount, max_amount }
}

/** The refusal of an amount outside the bounds of its link. Null when it is within them or equal to one. Pure. */
export function outsideBounds(asked: LinkAmount, amount: number): 'amount_too_small' | 'amount_too_large' | null {
  if (asked.kind === 'fixed') return null
  if (amount < asked.min_amount) return 'amount_too_small'
  return amount > asked.max_amount ? 'amount_too_large' : null
}

/** The states of a link for a visitor. */
export const linkSituations = ['open', 'busy', 'paid', 'closed', 'expired'] as const
export type LinkSituation = (typeof linkSituations)[number]

/** The state of a link for a visitor. The filter of the list (`link-store.ts`) reads the same in SQL. */
export function linkSituation(link: LinkRow): LinkSituation {
  if (link.status !== 'open') return link.status
  if (!link.reusable && link.taken_by !== null) return 'busy'
  return link.is_over ? 'expired' : 'open'
}

/** A link as commands show it. The caller adds its address, if the reader may know it. */
export function viewLink(link: LinkRow) {
  const { id, amount, min_amount, max_amount, currency, reusable, description, reference, whatsapp, handle, livemode } =
    link
  return {
    link_id: id,
    status: linkSituation(link),
    amount,
    min_amount,
    max_amount,
    currency,
    reusable,
    description,
    reference,
    whatsapp,
    handle,
    livemode,
    created_at: link.created_at.toISOString(),
    expires_at: link.expires_at?.toISOString() ?? null,
    closed_at: link.closed_at?.toISOString() ?? null,
  }
}
