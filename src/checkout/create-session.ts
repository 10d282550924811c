import { feesAt, type ReadSettings } from '../merchants/fees.ts'
import { type PaymentLimits, paymentMax } from '../merchants/payment-limit.ts'
import type { Clock } from '../platform/clock.ts'
import { accepted, type Command, refused } from '../platform/commands/command.ts'
import type { Engine, Outcome } from '../platform/commands/engine.ts'
import type { CallFrom, Idempotency } from '../platform/http/call.ts'
import { aboveLimit } from '../values/amount.ts'
import { type Caller, type Tenant, tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import type { Addresses } from './addresses.ts'
import { insertSession } from './insert-session.ts'
import { viewSession, withAddress } from './session.ts'
import type * as store from './store.ts'

export type SessionRequest = {
  amount: number
  description: string | null
  /** Checked by `readReturnUrl`. */
  return_url: string | null
}

type RefusalCode = 'merchant_inactive' | 'amount_above_limit'

export type CreateSessionResult = Outcome<RefusalCode>

type From = CallFrom<Caller, Idempotency | null>

export type CreateSession = (from: From, request: SessionRequest) => Promise<CreateSessionResult>

export type SessionCall = From & {
  request: SessionRequest
  /** The largest amount of one payment in francs. */
  amount_max: number
  collectors: Collectors
}

/** Whether any operator can collect this amount for a merchant now. `other_amounts`: operators collect, but not so much or so little. */
export type Collectors = 'some' | 'none' | 'other_amounts'

/** A warning for a session without an operator to pay through. We create it all the same: its page shows operators as soon as there are any. */
const warnings: Readonly<Record<Exclude<Collectors, 'some'>, string>> = {
  none: 'No operator can collect for this account in this mode now, so nobody can pay on this page yet.',
  other_amounts:
    'No operator that collects for this account in this mode takes this amount, so nobody can pay on this page yet.',
}

/**
 * Creates a session. Refusals in order of precedence: an inactive merchant, the amount limit. The answer stored for
 * replays has no address, so that the database holds no token.
 */
export function createSessionCommand(
  tokenHash: Addresses['tokenHash'],
  session_minutes: number,
): Command<SessionCall, null, RefusalCode> {
  return {
    optimistic: {
      when: ({ caller, request, amount_max }) => caller.merchant_active && request.amount <= amount_max,
      loaded: () => null,
    },
    load: async () => null,
    decide({ caller, request, amount_max, collectors }, _, now) {
      if (!caller.merchant_active) return refused('merchant_inactive')
      if (request.amount > amount_max) return refused('amount_above_limit', aboveLimit(amount_max))
      const id = newId('cs', now.getTime())
      const session: store.NewSession = {
        ...tenantOf(caller),
        ...request,
        id,
        link_id: null,
        min_amount: null,
        max_amount: null,
        amount_in_address: false,
        reference: null,
        currency: 'XOF',
        created_at: now,
        expires_at: new Date(now.getTime() + session_minutes * 60_000),
        token_hash: tokenHash(id),
      }
      const unpaid = { status: 'open', attempts: 0, payment_id: null, attempt_live: false, paid_at: null } as const
      const warning = collectors === 'some' ? {} : { warning: warnings[collectors] }
      const body = { ...viewSession({ ...session, ...unpaid }), ...warning }
      return accepted({ status: 201, body }, [insertSession(session)])
    },
  }
}

type Dependencies = {
  engine: Engine
  addresses: Addresses
  settings: ReadSettings
  clock: Clock
  /** @param amount_collected the francs that would be taken from the payer */
  collectorsFor: (merchant: Tenant, amount_collected: number) => Collectors
  limits: PaymentLimits
  session_minutes: number
}

/** Runs `createSessionCommand` on the engine with the limit of each caller, and adds the address to the answer. */
export function createCreateSession(deps: Dependencies): CreateSession {
  const { engine, clock, addresses, settings, collectorsFor, limits, session_minutes } = deps
  const create = engine.run(createSessionCommand(addresses.tokenHash, session_minutes))
  return async (from, request) => {
    const { caller } = from
    const merchant = await settings(caller.merchant_id)
    const amount_max = paymentMax(merchant, caller, limits)
    const { amount_collected } = feesAt(merchant, 'collection', request.amount, clock.now())
    const collectors = collectorsFor(caller, amount_collected)
    const result = await create({ ...from, request, amount_max, collectors })
    return result.kind === 'refused' ? result : { ...result, text: withAddress(result.text, addresses.sessionUrl) }
  }
}
