import { randomUUID } from 'node:crypto'
import { type Hmac, hmacHex } from '../platform/hmac.ts'
import type { Tenant } from '../values/caller.ts'
import type { Order } from './port.ts'

/** 32 bytes that stand for one request of a merchant: the HMAC of its `Idempotency-Key`. */
export type OrderKey = Buffer

/** Returns the order key of a request, always the same one. @param hmac under the reference key of this database */
export function orderKeyOf(hmac: Hmac, { merchant_id, livemode }: Tenant, idempotency_key: string): OrderKey {
  return hmac(`${merchant_id} ${livemode} ${idempotency_key}`)
}

/**
 * Derives the permanent reference by which an operator knows an instruction of a request. The request that comes again is the
 * same order to the operator, also when our record of the first one is lost. Its form is that of a UUID of version 4, because
 * some operators accept no other.
 * @param rank of a line in its batch; 0 for an order without a batch
 */
export function referenceFrom(order_key: OrderKey, direction: Order['direction'], rank = 0): string {
  const hex = hmacHex(order_key, `${direction} ${rank}`)
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/**
 * Creates the reference of an instruction without a key of its request, and identifiers of our own in the same form. The first
 * 48 bits are the time, because it is part of the keys of large tables: a fully random one puts each new row on another page of
 * an index. The other 74 bits are random, so nobody can guess a reference.
 * @param milliseconds the current time, in milliseconds since 1970
 */
export function newReference(milliseconds: number): string {
  const time = Math.floor(milliseconds).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUID().slice(13)}`
}
