// A payment as the interface promises it, written from its text and not from the code.

/** The fields of a payment, in the order of the interface's table, and what each may hold. */
export const paymentFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) => typeof value === 'string' && /^txn_[0-9A-Za-z]{1,64}$/.test(value),
  object: (value) => value === 'payment',
  amount: isFrancs,
  amount_collected: isFrancs,
  fee_amount: isFrancs,
  net_amount: isFrancs,
  currency: (value) => value === 'XOF',
  status: (value) =>
    ['created', 'pending', 'succeeded', 'failed', 'expired', 'refunded', 'partially_refunded'].includes(String(value)),
  operator: isTextOrNull,
  merchant_reference: isTextOrNull,
  failure_code: isTextOrNull,
  failure_message: isTextOrNull,
  livemode: (value) => typeof value === 'boolean',
  created_at: isTime,
  succeeded_at: (value) => value === null || isTime(value),
  failed_at: (value) => value === null || isTime(value),
}

export type Payment = {
  id: string
  amount: number
  amount_collected: number
  fee_amount: number
  net_amount: number
  currency: string
  status: string
  operator: string | null
  merchant_reference: string | null
  failure_code: string | null
  failure_message: string | null
  livemode: boolean
  created_at: string
  succeeded_at: string | null
  failed_at: string | null
  checkout_session_id?: string
  next_action?: { type: string; url?: string; dial_code?: string; prompted?: true; message: string }
  amount_refunded?: number
}

function isFrancs(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isTextOrNull(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value !== '')
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)
}
