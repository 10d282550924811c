import type { LinkRow } from '../../src/checkout/link.ts'
import type { LockedSession } from '../../src/checkout/store.ts'

const asked = {
  merchant_id: 1,
  livemode: false,
  status: 'open',
  amount: 500,
  min_amount: null,
  max_amount: null,
  currency: 'XOF',
  description: null,
  reference: null,
  created_at: new Date(0),
  closed_at: null,
  is_over: false,
} as const

/** Returns the row of a locked, open session. */
export function sessionOf(id: string, changes: Partial<LockedSession> = {}): LockedSession {
  const open = {
    link_id: null,
    return_url: null,
    attempts: 0,
    payment_id: null,
    attempt_live: false,
    paid_at: null,
    amount_in_address: false,
  }
  return { ...asked, ...open, id, expires_at: new Date(60_000), transition_count: 0, ...changes }
}

/** Returns the row of an open link that can be paid once. */
export function linkOf(id: string, changes: Partial<LinkRow> = {}): LinkRow {
  return {
    ...asked,
    id,
    reusable: false,
    expires_at: null,
    taken_by: null,
    whatsapp: null,
    handle: null,
    till_id: null,
    ...changes,
  }
}
