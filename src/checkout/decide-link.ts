import { defineEffect } from '../platform/commands/effects.ts'
import type { Tenant } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import type { LinkAmount, LinkRow } from './link.ts'
import { insertLink, type NewLink } from './link-store.ts'

/** The least amount that a payer chooses, in francs, unless the link says otherwise. A typing error then makes no payment. */
const FREE_MIN = 100

/** The wishes of a person or a program. Without `amount` the payer chooses, between the bounds that are given. In francs. */
export type LinkAsked = Pick<LinkRow, 'description' | 'reference' | 'whatsapp' | 'reusable' | 'expires_at'> & {
  /** The till that sends the link. Absent: none does. */
  readonly till_id?: string | null
  readonly amount: number | null
  readonly min: number | null
  readonly max: number | null
}

export type LinkRefusal = 'amount_too_high' | 'invalid_bounds' | 'expiry_in_past'

/** Writes a link that nobody has written before, and the lookup through which its token finds it. */
export const insertNewLink = defineEffect<NewLink>('new row', (tx, links) => {
  for (const link of links) insertLink(tx, link)
})

/**
 * Decides on a new link, without database and clock: for a person at each door, and for a key.
 * @param most the most that a payer of this merchant can pay, in francs
 * @param id derived from a form, so that a form sent twice makes one link; absent: a new one
 */
export function decideLink(
  { merchant_id, livemode }: Tenant,
  asked: LinkAsked,
  {
    most,
    tokenHash,
    now,
    id = newId('lnk', now.getTime()),
  }: { most: number; tokenHash: (id: string) => Buffer; now: Date; id?: string },
): { kind: 'refused'; code: LinkRefusal } | { kind: 'accepted'; row: NewLink; amount: LinkAmount } {
  const amount = amountIn(asked, most)
  const { amount: fixed, min_amount, max_amount } = { amount: null, min_amount: null, max_amount: null, ...amount }
  if ((fixed ?? max_amount ?? 0) > most) return { kind: 'refused', code: 'amount_too_high' }
  if (min_amount !== null && max_amount !== null && min_amount > max_amount) {
    return { kind: 'refused', code: 'invalid_bounds' }
  }
  const { description, reference, whatsapp, reusable, expires_at, till_id = null } = asked
  if (expires_at !== null && expires_at <= now) return { kind: 'refused', code: 'expiry_in_past' }
  const row: NewLink = {
    ...{ merchant_id, livemode, id, created_at: now },
    ...{ amount: fixed, min_amount, max_amount, currency: 'XOF' as const },
    ...{ reusable, description, reference, whatsapp, till_id, expires_at, token_hash: tokenHash(id) },
  }
  return { kind: 'accepted', row, amount }
}

/** @param most the upper bound of a free amount whose link names none */
function amountIn({ amount, min, max }: LinkAsked, most: number): LinkAmount {
  if (amount !== null) return { kind: 'fixed', amount }
  return { kind: 'free', min_amount: min ?? FREE_MIN, max_amount: max ?? most }
}
