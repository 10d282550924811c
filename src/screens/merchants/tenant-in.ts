import type { ScreenRequest } from '../../console/screen.ts'
import type { Tenant } from '../../values/caller.ts'

/** The merchant that an address of the desk names, in its mode; null: no number of a merchant. It need not exist. */
export function tenantIn({ params, livemode }: ScreenRequest<'desk'>): Tenant | null {
  const merchant_id = merchantIdIn(params.id ?? '')
  return merchant_id === null ? null : { merchant_id, livemode }
}

/** The number of a merchant in a text; null: there is none. */
export function merchantIdIn(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}
