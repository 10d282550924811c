import { createHash, timingSafeEqual } from 'node:crypto'
import type { TwinRequest } from '../wire.ts'
import type { Kind, Settings } from './settings.ts'

export type Fields = Record<string, unknown>

/** An order, read. */
export type OrderBody = { reference: string; destination: string; amount: number }

/** The body as an object; null when it is none. */
export function readFields(body: Buffer): Fields | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}

/** Our `request-id`, of the length that one client checks; null: it is none. */
export function referenceIn({ 'request-id': id }: Fields): string | null {
  return typeof id === 'string' && /^[\x21-\x7e]{5,50}$/.test(id) ? id : null
}

/** Whether the credentials of a call are those of the contract, and its hash where one is asked for. */
export function isAdmitted({ headers, body }: TwinRequest, settings: Settings): boolean {
  const { authorization, user, password, hash } = settings
  const pair = Buffer.from(`${user}:${password}`).toString('base64')
  if (!areEqual(headers.authorization, `${authorization} ${pair}`)) return false
  return !hash || areEqual(headers.hash, createHash('sha256').update(user).update(body).digest('hex'))
}

/** Reads an order, or gives back the code that refuses it. */
export function readOrder(kind: Kind, fields: Fields, settings: Settings): OrderBody | string {
  const reference = referenceIn(fields)
  const { destination, amount, remarks, message } = fields
  if (reference === null || typeof amount !== 'string' || !/^[1-9]\d{0,11}$/.test(amount)) return '91'
  if (typeof remarks !== 'string' || typeof message !== 'string') return '91'
  if (typeof destination !== 'string' || !/^2250[157]\d{8}$/.test(destination)) return '3'
  if (kind === 'transfer' && settings.wallet_named) {
    const { 'command-id': command, sender, auth } = fields
    if (command !== 'WCASH' || sender !== settings.sender) return '91'
    if (auth !== settings.auth) return '98'
  }
  return { reference, destination, amount: Number(amount) }
}

function areEqual(given: unknown, wanted: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
