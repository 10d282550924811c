import type { Form } from '../../platform/http/read-form.ts'
import { isCleanText } from '../../platform/http/strict-json.ts'
import { AMOUNT_MAX } from '../../values/amount.ts'
import { withoutUnit } from '../../values/as-seen.ts'

/**
 * A form as sent, each field a text; `null` for one of another type.
 * `has_number`: the field is there, be it empty. `retry`: the payment whose number `msisdn` shows the end of.
 */
export type SentForm = { amount: number | null; amount_text: string; has_number: boolean } & Readonly<
  Record<'msisdn' | 'retry' | 'operator' | 'nonce' | 'code' | 'fee', string | null>
>

/** Most bytes of a form. */
export const FORM_MAX_BYTES = 16_384
const FIELD_MAX = 200

/** Reads the fields of a form. A missing field is empty. */
export function readSentForm({ fields, written_as }: Form): SentForm {
  const text = (name: string): string | null => {
    const value = fields[name] ?? ''
    return typeof value === 'string' && value.length <= FIELD_MAX && isCleanText(value) ? value.trim() : null
  }
  // As everywhere in the interface, an amount in JSON must be a number, not a text.
  const amount = written_as === 'json' && typeof fields.amount === 'string' ? null : fields.amount
  return {
    amount: typeof amount === 'number' ? wholeFrancs(amount) : typeof amount === 'string' ? readFrancs(amount) : null,
    amount_text: typeof amount === 'string' ? amount.slice(0, 40) : '',
    has_number: fields.msisdn != null,
    msisdn: text('msisdn'),
    retry: text('retry'),
    operator: text('operator'),
    nonce: text('nonce'),
    code: text('code'),
    fee: typeof fields.fee === 'number' ? String(fields.fee) : text('fee'),
  }
}

function wholeFrancs(amount: number): number | null {
  return Number.isSafeInteger(amount) && amount >= 1 && amount <= AMOUNT_MAX ? amount : null
}

/**
 * Reads an amount as people type it: `10000`, `10 000`, `10.000`, `10 000 F CFA`. Null when it is not whole francs, so
 * that the page asks again for `10,5` and does not read it as 105.
 */
export function readFrancs(written: string): number | null {
  const plain = withoutUnit(written)
  if (!/^(?:\d{1,13}|\d{1,3}(?:[\s.,'\u2019]\d{3}){1,4})$/.test(plain)) return null
  return wholeFrancs(Number(plain.replace(/\D/g, '')))
}
