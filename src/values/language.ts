/** The languages of all pages, the first of them where nothing says otherwise. */
export const languages = ['fr', 'en'] as const
export type Language = (typeof languages)[number]
