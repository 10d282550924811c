import type { Actor } from './actor.ts'

/** The rights of an API key. A `collect` key has no power to send money. */
export type Scope = 'collect' | 'payout'

/**
 * The owner of the rows that a query may touch: one merchant, in one mode. Every statement on a merchant's data filters on both,
 * so another merchant's object and an object of the other mode are simply not found.
 */
export type Tenant = { readonly merchant_id: number; readonly livemode: boolean }

/** One text for a merchant in a mode, to look things up by. */
export function tenantKey({ merchant_id, livemode }: Tenant): string {
  return `${merchant_id}/${livemode}`
}

/** Only whose it is, of something that says more. */
export function tenantOf({ merchant_id, livemode }: Tenant): Tenant {
  return { merchant_id, livemode }
}

/** The caller behind an API key, after the key was checked. */
export type Caller = Tenant & {
  readonly key_id: string
  readonly scope: Scope
  /** False: the merchant's account is deactivated and may read but not operate. */
  readonly merchant_active: boolean
}

/** The one who asks for something that a key and a person may ask for: an API key, or a person of the merchant in the console. */
export type Asker = Tenant & Pick<Caller, 'merchant_active'> & ({ readonly key_id: string } | { readonly actor: Actor })

/** The asker as rows keep it: `key:…`, or the person. */
export function makerOf(asker: Asker): string {
  return 'key_id' in asker ? `key:${asker.key_id}` : asker.actor.person
}
