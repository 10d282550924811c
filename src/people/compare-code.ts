import type { Words } from '../values/language.ts'
import { STAFF } from './person.ts'

/** The place whose link opened an account, by name. */
export type OpenedBy = { readonly name: Words | null }

/** A merchant does not learn which place it was, and nobody knows it of an old account. */
export const ELSEWHERE: OpenedBy = { name: null }

/** @param name of the merchant; null: it has none, or the staff opened the account */
export function openedBy(place: number | null, name: string | null): OpenedBy {
  if (place === STAFF) return { name: ['l’équipe du service', 'the staff'] }
  return name === null ? ELSEWHERE : { name: [name, name] }
}

/** The sentences before a second person confirms a role of an account that another place opened. */
export function compareCode(code: string, { name }: OpenedBy): Words {
  const [french, english] = name === null ? ['venu d’ailleurs', 'from elsewhere'] : [`de ${name[0]}`, `of ${name[1]}`]
  return [
    `Ce compte a été ouvert par un lien ${french}. Appelez cette personne à un numéro que vous connaissez. « Mon compte » doit lui montrer le code ${code} ; sinon, refusez le rôle.`,
    `This account was opened by a link ${english}. Call this person at a number that you know. Their “My account” must show the code ${code}; otherwise decline the role.`,
  ]
}
