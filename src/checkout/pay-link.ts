import type { ReadSettings } from '../merchants/fees.ts'
import { type PaymentLimits, paymentMax } from '../merchants/payment-limit.ts'
import { isMerchantActive } from '../merchants/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Engine } from '../platform/commands/engine.ts'
import type { Turn } from '../platform/http/turns.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Addresses } from './addresses.ts'
import { insertSessionOnce } from './insert-session.ts'
import { type LinkRow, linkSituation, outsideBounds } from './link.ts'
import { decideTerms, type InAddress, type Terms } from './link-address.ts'
import { readLink } from './link-store.ts'
import type { Nonces } from './nonces.ts'
import * as store from './store.ts'

type Dependencies = {
  sql: Sql
  engine: Engine
  clock: Clock
  addresses: Addresses
  nonces: Nonces
  settings: ReadSettings
  limits: PaymentLimits
  session_minutes: number
}

/**
 * The form of a link. `amount`: the typed amount in francs, null when the payer typed none or an unreadable one.
 * `address`: the fields of the address that it was sent to.
 */
export type LinkForm = { nonce: string; made_at: number; amount: number | null; address: InAddress }

export type OpenSessionResult =
  /** The session of this form, new or from an earlier submission. */
  | { kind: 'opened'; session_id: string }
  | {
      kind: 'refused'
      code:
        | 'invalid_request'
        | 'merchant_inactive'
        | 'lien_indisponible'
        | 'bornes_illisibles'
        | 'invalid_amount'
        | 'amount_too_small'
        | 'amount_too_large'
        | 'amount_above_limit'
    }

/**
 * Opens a session for a payer of a link. The same form with the same amount and reference gives the same session, however often it is
 * sent. Refusals in order of precedence: unreadable bounds, an address that the link does not allow, an unreadable amount, an inactive merchant, a link that is
 * closed, paid, expired or held by another payer, an amount outside the bounds, the amount limit.
 */
export function createOpenSession(deps: Dependencies) {
  const { sql, nonces, settings, limits } = deps
  const insert = deps.engine.run(insertSessionOnce)

  return async (
    key: Tenant & { link_id: string },
    form: LinkForm,
    turn: Pick<Turn, 'without'>,
  ): Promise<OpenSessionResult> => {
    const link = await readLink(sql, key)
    if (link === null) throw new Error('A link that was found is gone.')
    const terms = decideTerms(link, form.address)
    if (typeof terms === 'string') return { kind: 'refused', code: terms }
    const { asked } = terms
    const amount = asked.kind === 'fixed' ? asked.amount : form.amount
    if (amount === null) return { kind: 'refused', code: 'invalid_amount' }

    const { merchant_id, livemode } = key
    const session_id = nonces.sessionOf(link.id, form.nonce, form.made_at, amount, terms.reference)
    // The form was sent before. Its payer goes to their session, whatever the present state of the link.
    const existing = await store.readSession(sql, { merchant_id, livemode, session_id })
    if (existing !== null) return { kind: 'opened', session_id }

    const [active, merchant] = await Promise.all([isMerchantActive(sql, merchant_id), settings(merchant_id)])
    if (!active) return { kind: 'refused', code: 'merchant_inactive' }
    if (linkSituation(link) !== 'open') return { kind: 'refused', code: 'lien_indisponible' }
    const outside = outsideBounds(asked, amount)
    if (outside !== null) return { kind: 'refused', code: outside }
    if (amount > paymentMax(merchant, key, limits)) return { kind: 'refused', code: 'amount_above_limit' }
    const session = rowFor(deps, link, terms, session_id, amount)
    await turn.without(() => insert({ caller: key, idempotency: null, session }))
    return { kind: 'opened', session_id }
  }
}

function rowFor(
  { clock, addresses, session_minutes }: Dependencies,
  link: LinkRow,
  { amount_in_address, reference }: Terms,
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
    min_amount: link.min_amount,
    max_amount: link.max_amount,
    amount_in_address,
    reference,
    currency: 'XOF',
    description: link.description,
    return_url: null,
    created_at: new Date(now),
    // A session never outlives its link.
    expires_at: new Date(Math.min(end, link.expires_at?.getTime() ?? end)),
    token_hash: addresses.tokenHash(session_id),
  }
}

export type OpenSession = ReturnType<typeof createOpenSession>
