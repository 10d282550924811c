import type { Tenant } from '../values/caller.ts'
import { merchantIdIn } from '../values/read-typed.ts'
import type { ScreenRequest } from './screen.ts'

/** Reads the merchant and mode of a desk address. Null when it has no merchant number. The merchant may not exist. */
export function tenantIn({ params, livemode }: ScreenRequest<'desk'>): Tenant | null {
  const merchant_id = merchantIdIn(params.id ?? '')
  return merchant_id === null ? null : { merchant_id, livemode }
}
