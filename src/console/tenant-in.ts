import { asSeen } from '../values/as-seen.ts'
import type { Tenant } from '../values/caller.ts'
import type { ScreenRequest } from './screen.ts'

/** Reads the merchant and mode of a desk address. Null when it has no merchant number. The merchant may not exist. */
export function tenantIn({ params, livemode }: ScreenRequest<'desk'>): Tenant | null {
  const merchant_id = merchantIdIn(params.id ?? '')
  return merchant_id === null ? null : { merchant_id, livemode }
}

/** Reads a merchant number from a text. Null when there is none. */
export function merchantIdIn(text: string): number | null {
  const digits = asSeen(text)
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : null
}
