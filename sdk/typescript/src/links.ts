import type { Open } from './types.ts'

/** A payment link: one address that a customer, or many, can pay at. */
export type PaymentLink = {
  /** Prefix `lnk_`. */
  id: string
  object: 'payment_link'
  /** The address to send or print. */
  url: string
  status: Open<'open' | 'closed' | 'expired' | 'paid'>
  /** Whole francs. Null: the payer chooses, between the bounds. */
  amount: number | null
  min_amount: number | null
  max_amount: number | null
  currency: string
  reference: string | null
  description: string | null
  /** Whether several payers can pay at it. */
  reusable: boolean
  /** The number that the receipt opens a chat with. */
  whatsapp: string | null
  livemode: boolean
  created_at: string
  expires_at: string | null
}

/** The fields of a new link. Without `amount` the payer chooses one. */
export type CreateLink = {
  amount?: number
  min_amount?: number
  max_amount?: number
  currency?: string
  reference?: string
  description?: string
  reusable?: boolean
  whatsapp?: string
  expires_at?: string
}
