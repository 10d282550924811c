import { comparablePerson } from './comparable.ts'

/**
 * Whether this person may decide on a request of another one. The maker may not, however the name is written. An API key
 * never may: keys only ask. The database refuses the maker as well, in the form in which `normalizePerson` writes people.
 * @param made_by who asked: a person, or `key:…` for an API key
 */
export function isIndependentApprover(made_by: string, decided_by: string): boolean {
  const decider = normalizePerson(decided_by)
  return decider !== null && decider !== (normalizePerson(made_by) ?? made_by) && !decider.startsWith('key:')
}

/**
 * A person as everything that two people decide knows them: small letters, one form of each letter, nothing that is not
 * seen, no spaces around it and single ones inside, so that one person written in two ways is still one. Null: no name, or
 * longer than 200 characters.
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
