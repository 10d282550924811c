/**
 * Whether this person may decide on what a cap held back. Whoever asked for it may not, and an API key never may: the
 * key stands for those who ask, whichever of them it is. The database refuses the maker as well.
 * @param made_by `key:…`: the API key that asked
 */
export function mayDecide(made_by: string, decided_by: string): boolean {
  return decided_by !== made_by && !decided_by.startsWith('key:')
}
