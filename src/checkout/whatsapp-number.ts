import { asSeen } from '../values/as-seen.ts'
import { Msisdn } from '../values/msisdn.ts'

/**
 * Reads the number of a WhatsApp account, in the form of `wa.me`: digits alone, with the code of the country. Ten digits are an Ivorian number;
 * a number of another country begins with `+` or `00`. Null when it is no such number.
 */
export function readWhatsApp(written: string): string | null {
  const ours = Msisdn.parse(written)
  if (ours !== null) return ours.e164.slice(1)
  if (written.length > 64) return null
  const digits = asSeen(written).replace(/[\s.\-()\u2010-\u2015\u2212]/g, '')
  const foreign = /^(?:\+|00)([1-9]\d{7,14})$/.exec(digits)?.[1] ?? null
  // A number with the code of Côte d'Ivoire that is no mobile number of its plan has no WhatsApp account.
  return foreign?.startsWith('225') === true ? null : foreign
}
