import type { ReadSettings } from '../merchants/fees.ts'
import { type PaymentLimits, paymentMax } from '../merchants/payment-limit.ts'
import { accepted, type Command, refused } from '../platform/commands/command.ts'
import type { Engine, Outcome, Run } from '../platform/commands/engine.ts'
import type { CallFrom, Idempotency } from '../platform/http/call.ts'
import { aboveLimit } from '../values/amount.ts'
import { type Caller, type Tenant, tenantOf } from '../values/caller.ts'
import type { Addresses } from './addresses.ts'
import { endLink, lockForClosing } from './close-link.ts'
import { decideLink, insertNewLink, type LinkAsked, type LinkRefusal } from './decide-link.ts'
import { type LinkRow, viewLink } from './link.ts'
import { addressed, type PaymentLink, viewPaymentLink } from './payment-link.ts'
import type { LockedSession } from './store.ts'

// The operations of links for a program with a key. People's are the acts in create-link.ts and close-link.ts, decided alike.

type CreateRefusal = 'merchant_inactive' | 'amount_above_limit' | 'invalid_amount' | 'invalid_expires_at'

type From = CallFrom<Caller, Idempotency | null>

export type CreateLink = (from: From, asked: LinkAsked) => Promise<Outcome<CreateRefusal>>

export type CreateLinkCall = From & {
  asked: LinkAsked
  /** The most that a payer of this merchant can pay, in francs. */
  most: number
}

const BOUNDS = 'max_amount must be at least min_amount. Raise max_amount or lower min_amount.'
const PAST = 'expires_at has passed. Send a later moment, or leave it out.'

/** Creates a link. Refusals in order of precedence: an inactive merchant, the amount limit, the bounds, a moment that has passed. */
export function createLinkCommand(tokenHash: Addresses['tokenHash']): Command<CreateLinkCall, null, CreateRefusal> {
  return {
    load: async () => null,
    decide({ caller, asked, most }, _, now) {
      if (!caller.merchant_active) return refused('merchant_inactive')
      const decided = decideLink(caller, asked, { most, tokenHash, now })
      if (decided.kind === 'refused') return refusalFor(decided.code, most)
      const { row } = decided
      const unpaid = { status: 'open', taken_by: null, closed_at: null, is_over: false, handle: null } as const
      const body = viewPaymentLink(viewLink({ ...row, ...unpaid }))
      return accepted({ status: 201, body }, [insertNewLink(row)])
    },
  }
}

function refusalFor(code: LinkRefusal, most: number) {
  if (code === 'amount_too_high') return refused('amount_above_limit', aboveLimit(most))
  return code === 'invalid_bounds' ? refused('invalid_amount', BOUNDS) : refused('invalid_expires_at', PAST)
}

type CloseRefusal =
  | 'resource_not_found'
  /** The link is paid or closed already. */
  | 'link_not_closable'

export type CloseLinkCall = CallFrom<Tenant, null> & { link_id: string }

/** Closes a link with its open pages. It takes no `Idempotency-Key`: a repeated call answers `link_not_closable`. */
export const closeLinkCommand: Command<
  CloseLinkCall,
  { sessions: LockedSession[]; link: LinkRow | undefined },
  CloseRefusal
> = {
  // The pages of one link may be many.
  alone: true,
  load: (tx, [{ caller, link_id }]) => lockForClosing(tx, { ...tenantOf(caller), link_id }),
  decide(_, { sessions, link }, now) {
    if (link === undefined) return refused('resource_not_found')
    const ended = endLink({ sessions, link }, now)
    if (ended === null) return refused('link_not_closable')
    return accepted({ status: 200, body: viewPaymentLink(viewLink(ended.row)) }, ended.effects)
  },
}

type Dependencies = {
  engine: Engine
  addresses: Addresses
  settings: ReadSettings
  limits: PaymentLimits
}

/** Runs the operations of links on the engine, and adds the address to each answer, as stored ones have none. */
export function createLinkOperations({ engine, addresses, settings, limits }: Dependencies): {
  createLink: CreateLink
  closeLink: Run<CloseLinkCall, CloseRefusal>
} {
  const withAddress = (text: string) =>
    JSON.stringify(addressed(JSON.parse(text) as Omit<PaymentLink, 'url'>, addresses.linkUrl))
  const create = engine.run(createLinkCommand(addresses.tokenHash))
  const close = engine.run(closeLinkCommand)
  return {
    async createLink(from, asked) {
      const most = paymentMax(await settings(from.caller.merchant_id), from.caller, limits)
      const result = await create({ ...from, asked, most })
      return result.kind === 'refused' ? result : { ...result, text: withAddress(result.text) }
    },
    async closeLink(call) {
      const result = await close(call)
      return result.kind === 'refused' ? result : { ...result, text: withAddress(result.text) }
    },
  }
}
