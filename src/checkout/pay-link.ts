import type { ReadSettings } from '../merchants/fees.ts'
import { isMerchantActive } from '../merchants/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Engine } from '../platform/commands/engine.ts'
import type { Turn } from '../platform/http/turns.ts'
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
  settings: ReadSettings
  /** Francs. The service's limit for one payment, used for merchants without a limit of their own. */
  collection_amount_max: number
  session_minutes: number
}

/** The form of a link. `amount`: the typed amount in francs, null when the payer typed none or an unreadable one. */
export type LinkForm = { nonce: string; made_at: number; amount: number | null }

export type OpenSessionResult =
  /** The session of this form, new or from an earlier submission. */
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
 * Opens a session for a payer of a link. The same form with the same amount gives the same session, however often it is
 * sent. Refusals in order of precedence: unreadable bounds, an unreadable amount, an inactive merchant, a link that is
 * closed, paid, expired or held by another payer, an amount outside the bounds, the amount limit.
 */
export function createOpenSession(deps: Dependencies) {
  const { sql, nonces, settings, collection_amount_max } = deps
  const insert = deps.engine.run(insertSessionOnce)

  return async (
    key: Tenant & { link_id: string },
    form: LinkForm,
    turn: Pick<Turn, 'without'>,
  ): Promise<OpenSessionResult> => {
    const link = await readLink(sql, key)
    if (link === null) throw new Error('A link that was found is gone.')
    const asked = amountOf(link)
    if (asked === null) return { kind: 'refused', code: 'bornes_illisibles' }
    const amount = asked.kind === 'fixed' ? asked.amount : form.amount
    if (amount === null) return { kind: 'refused', code: 'invalid_amount' }

    const { merchant_id, livemode } = key
    const session_id = nonces.sessionOf(link.id, form.nonce, form.made_at, amount)
    // The form was sent before. Its payer goes to their session, whatever the present state of the link.
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
    const session = rowFor(deps, link, asked, session_id, amount)
    await turn.without(() => insert({ caller: key, idempotency: null, session }))
    return { kind: 'opened', session_id }
  }
}

/** The refusal of an amount outside the bounds of its link. Null when it is within them or equal to one. Pure. */
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
    // A session never outlives its link.
    expires_at: new Date(Math.min(end, link.expires_at?.getTime() ?? end)),
    token_hash: addresses.tokenHash(session_id),
  }
}

export type OpenSession = ReturnType<typeof createOpenSession>
