/**
 * Writes a whole number, such as francs, in groups of three digits, as people of Côte d'Ivoire write it: `25 000`. Pure.
 * @param space what stands between two groups: the narrow no-break space of pages, where nothing else is given
 */
export function groupDigits(whole: number, space = '\u202f'): string {
  return String(whole).replace(/\B(?=(?:\d{3})+$)/g, space)
}
