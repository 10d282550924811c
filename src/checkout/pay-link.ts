import type { MerchantSettings } from '../merchants/fees.ts'
import { isMerchantActive } from '../merchants/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Engine } from '../platform/commands/engine.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Addresses } from './addresses.ts'
import { insertSessionOnce } from './insert-session.ts'
import { amountOf, type LinkAmount, type LinkRow, linkSituation } from './link.ts'
import { readLink } from './link-store.ts'
import type { Nonces } from './nonces.ts'
import * as store from './store.ts'

type Dependencies = {
  sql: Sql
  engine: Engine
  clock: Clock
  addresses: Addresses
  nonces: Nonces
  settings: (merchant_id: number) => MerchantSettings | Promise<MerchantSettings>
  /** The service's own limit for one payment in francs, for merchants without one. */
  collection_amount_max: number
  session_minutes: number
}

/** A form of a link as it was read. `amount`: what was typed; null: nothing, or nothing readable. */
export type LinkForm = { nonce: string; made_at: number; amount: number | null }

export type OpenSessionResult =
  /** The session of this form: new, or there already. */
  | { kind: 'opened'; session_id: string }
  | {
      kind: 'refused'
      code:
        | 'merchant_inactive'
        | 'lien_indisponible'
        | 'bornes_illisibles'
        | 'invalid_amount'
        | 'amount_too_small'
        | 'amount_too_large'
        | 'amount_above_limit'
    }

/**
 * Gives a payer on a link a session of their own. The same form with the same amount is one session, however often it is
 * sent. Refusals, in their order: bounds that cannot be read, an amount that is none, an inactive merchant, a link that is
 * closed, paid, over or in somebody else's hands, the bounds, the amount limit.
 */
export function createOpenSession(deps: Dependencies) {
  const { sql, nonces, settings, collection_amount_max } = deps
  const insert = deps.engine.run(insertSessionOnce)

  return async (key: Tenant & { link_id: string }, form: LinkForm): Promise<OpenSessionResult> => {
    const link = await readLink(sql, key)
    if (link === null) throw new Error('A link that was found is gone.')
    const asked = amountOf(link)
    if (asked === null) return { kind: 'refused', code: 'bornes_illisibles' }
    const amount = asked.kind === 'fixed' ? asked.amount : form.amount
    if (amount === null) return { kind: 'refused', code: 'invalid_amount' }

    const { merchant_id, livemode } = key
    const session_id = nonces.sessionOf(link.id, form.nonce, form.made_at, amount)
    // Sent before: whatever has become of the link since, its payer goes to the page of their own session.
    const existing = await store.readSession(sql, { merchant_id, livemode, session_id })
    if (existing !== null) return { kind: 'opened', session_id }

    const [active, { collection_amount_max: own_max }] = await Promise.all([
      isMerchantActive(sql, merchant_id),
      settings(merchant_id),
    ])
    if (!active) return { kind: 'refused', code: 'merchant_inactive' }
    if (linkSituation(link) !== 'open') return { kind: 'refused', code: 'lien_indisponible' }
    const outside = outsideBounds(asked, amount)
    if (outside !== null) return { kind: 'refused', code: outside }
    if (amount > (own_max ?? collection_amount_max)) return { kind: 'refused', code: 'amount_above_limit' }
    await insert(rowFor(deps, link, asked, session_id, amount))
    return { kind: 'opened', session_id }
  }
}

/** How an amount that a payer chose lies outside the bounds of its link; null: within, as exactly a bound is. Pure. */
export function outsideBounds(asked: LinkAmount, amount: number): 'amount_too_small' | 'amount_too_large' | null {
  if (asked.kind === 'fixed') return null
  if (amount < asked.min_amount) return 'amount_too_small'
  return amount > asked.max_amount ? 'amount_too_large' : null
}

function rowFor(
  { clock, addresses, session_minutes }: Dependencies,
  link: LinkRow,
  asked: LinkAmount,
  session_id: string,
  amount: number,
): store.NewSession {
  const now = clock.milliseconds()
  const end = now + session_minutes * 60_000
  return {
    merchant_id: link.merchant_id,
    livemode: link.livemode,
    id: session_id,
    link_id: link.id,
    amount,
    min_amount: asked.kind === 'free' ? asked.min_amount : null,
    max_amount: asked.kind === 'free' ? asked.max_amount : null,
    currency: 'XOF',
    description: link.description,
    return_url: null,
    created_at: new Date(now),
    // Never longer than its link.
    expires_at: new Date(Math.min(end, link.expires_at?.getTime() ?? end)),
    token_hash: addresses.tokenHash(session_id),
  }
}

export type OpenSession = ReturnType<typeof createOpenSession>
