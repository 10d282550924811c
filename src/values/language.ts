/** The languages of all pages, the first of them where nothing says otherwise. */
export const languages = ['fr', 'en'] as const
export type Language = (typeof languages)[number]

/** A text in each language, French first, with gaps between braces: `['{n} envois', '{n} payouts']`. Without one of them nothing compiles. */
export type Words = readonly [fr: string, en: string]
