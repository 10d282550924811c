/**
 * Whether this person may decide on what another one asked for. Whoever asked may not, and an API key never may: the key
 * stands for those who ask, whichever of them it is. The database refuses the maker as well.
 * @param made_by who asked: a person, or `key:…` for an API key
 */
export function mayDecide(made_by: string, decided_by: string): boolean {
  return decided_by !== made_by && !decided_by.startsWith('key:')
}
