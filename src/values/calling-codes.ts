import { asSeen } from './as-seen.ts'

/** The calling codes of the countries whose numbers come up here: West and Central Africa, and where people of Côte d'Ivoire live. */
export const callingCodes = [
  ...['221', '223', '226', '224', '231', '233', '228', '229', '227', '234', '220', '222', '232', '238', '245'],
  ...[
    '237',
    '241',
    '242',
    '243',
    '235',
    '236',
    '212',
    '213',
    '216',
    '33',
    '32',
    '39',
    '34',
    '44',
    '49',
    '41',
    '86',
    '1',
  ],
] as const
export type CallingCode = (typeof callingCodes)[number]

/** Returns the calling code of another country with which a written number begins, after + or 00, or for a neighbour also without. Null: none. */
export function otherCountryOf(written: string): CallingCode | null {
  const bare = asSeen(written).replace(/[\s.\-()\u2010-\u2015\u2212]/g, '')
  const [, plus = '', digits = ''] = /^(\+|00)?(\d{8,15})$/.exec(bare) ?? []
  if (digits.startsWith('225')) return null
  const code = callingCodes.find((one) => digits.startsWith(one))
  if (code === undefined) return null
  if (plus !== '') return code
  // Without a plus only the whole length of a neighbour's number is certain.
  return code.length === 3 && digits.length >= 11 && digits.length <= 13 ? code : null
}
