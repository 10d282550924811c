/** The languages of all pages. The first is the default. */
export const languages = ['fr', 'en'] as const
export type Language = (typeof languages)[number]

/** A text in each language, French first, with variables in braces: `['{n} envois', '{n} payouts']`. The compiler refuses a missing language. */
export type Words = readonly [fr: string, en: string]
