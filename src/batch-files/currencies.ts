const words = /^(?:euros?|dollars?|cedis?|nairas?|dirhams?|dalasis?|livres?(?:sterling)?)$/i
const codes = new Set(Intl.supportedValuesOf('currency').filter((code) => code !== 'XOF'))

/** Whether a word or a sign names another currency than the franc of West Africa. */
export function isOtherCurrency(word: string): boolean {
  return /^\p{Sc}+$/u.test(word) || words.test(word) || codes.has(word.toUpperCase())
}

/** Whether a title names another currency. A code counts in capitals only, because some are also words. */
export function namesOtherCurrency(title: string): boolean {
  return title
    .split(/[^\p{L}\p{Sc}]+|(?<=\p{Sc})|(?=\p{Sc})/u)
    .some((word) => word !== '' && (/^\p{L}{3}$/u.test(word) ? codes.has(word) : isOtherCurrency(word)))
}
