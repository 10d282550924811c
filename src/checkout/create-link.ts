import { recordAct } from '../audit-log/record-act.ts'
import { merchantExists } from '../merchants/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import type { Addresses } from './addresses.ts'
import type { LinkAmount } from './link.ts'
import { insertLink, type NewLink } from './link-store.ts'

export type NewLinkRequest = Tenant & {
  amount: LinkAmount
  reusable: boolean
  /** The text that the payer reads, 1 000 characters at most. */
  description: string | null
  expires_at: Date | null
}

export type CreateLinkResult =
  | { kind: 'created'; link_id: string; url: string }
  | { kind: 'refused'; code: 'resource_not_found' | 'invalid_bounds' | 'invalid_description' | 'expiry_in_past' }

/**
 * Creates a link for payers. Its address is derived from the id, so that it can be shown again at any time.
 * @param by the author for the audit log
 */
export async function createLink(
  { sql, clock, addresses }: { sql: Sql; clock: Clock; addresses: Addresses },
  { merchant_id, livemode, amount, reusable, description, expires_at }: NewLinkRequest,
  by: Actor = SYSTEM,
): Promise<CreateLinkResult> {
  if (amount.kind === 'free' && amount.min_amount > amount.max_amount)
    return { kind: 'refused', code: 'invalid_bounds' }
  if (description !== null && description.length > 1_000) return { kind: 'refused', code: 'invalid_description' }
  if (expires_at !== null && expires_at <= clock.now()) return { kind: 'refused', code: 'expiry_in_past' }
  if (!(await merchantExists(sql, merchant_id))) return { kind: 'refused', code: 'resource_not_found' }
  const link_id = newId('lnk', clock.milliseconds())
  const link: NewLink = {
    merchant_id,
    livemode,
    id: link_id,
    amount: amount.kind === 'fixed' ? amount.amount : null,
    min_amount: amount.kind === 'free' ? amount.min_amount : null,
    max_amount: amount.kind === 'free' ? amount.max_amount : null,
    currency: 'XOF',
    reusable,
    description,
    expires_at,
    token_hash: addresses.tokenHash(link_id),
  }
  await sql.begin(async (tx) => {
    await insertLink(tx, link)
    const after = { ...amount, reusable, expires_at }
    recordAct(tx, link, { actor: by, act: 'link.create', subject: link_id, after })
  })
  return { kind: 'created', link_id, url: addresses.linkUrl(link_id) }
}
