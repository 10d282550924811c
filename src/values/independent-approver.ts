import { comparablePerson } from './comparable.ts'

/**
 * Whether a person may decide on a request. The maker may not, however the name is written, and an API key never may. The database refuses
 * the maker as well, in the form of `normalizePerson`.
 * @param made_by the maker: a person, or `key:…` for an API key
 */
export function isIndependentApprover(made_by: string, decided_by: string): boolean {
  const decider = normalizePerson(decided_by)
  return decider !== null && decider !== (normalizePerson(made_by) ?? made_by) && !decider.startsWith('key:')
}

/**
 * Returns a person's name in the form in which people are compared: in lower case, one form of each letter, no invisible characters,
 * trimmed, with single spaces. So a person written in two ways is one person. Null when the name is empty or longer than 200 characters.
 */
export function normalizePerson(text: string): string | null {
  const person = comparablePerson(text)
    .replace(/\s/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .replace(/ +/g, ' ')
    .trim()
    .toLowerCase()
  return person.length >= 1 && person.length <= 200 ? person : null
}
