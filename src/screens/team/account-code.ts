import { note } from '../../console/components.ts'
import type { Say } from '../../console/say.ts'
import type { ListedPerson } from '../../people/list-people.ts'
import { isKnownTo, STAFF } from '../../people/person.ts'
import type { Html } from '../../platform/http/html.ts'

/** The facts for a second person about an account that another place opened. `opened_by`: that place, where the reader may know it. */
export type AccountToCompare = { readonly account_code: string; readonly opened_by: string | null }

/** The comparison for a role of a person in the desk's directory. Null: the place of the role opened their account, or nobody has yet. */
export function toCompareAtDesk(
  say: Say,
  person: Pick<ListedPerson, 'status' | 'opened_by' | 'opened_by_name' | 'account_code'>,
  merchant_id: number,
): AccountToCompare | null {
  const { status, opened_by, opened_by_name, account_code } = person
  if (status !== 'active' || account_code === null || isKnownTo(merchant_id, person)) return null
  return { account_code, opened_by: opened_by === STAFF ? say(['l’équipe du service', 'the staff']) : opened_by_name }
}

/** The sentence before a second person confirms a role of an account that another place opened. */
export function compareWords(say: Say, { account_code, opened_by }: AccountToCompare): string {
  const by =
    opened_by === null
      ? say([
          'Ce compte a été ouvert par un lien venu d’ailleurs.',
          'This account was opened by a link from elsewhere.',
        ])
      : say(['Ce compte a été ouvert par un lien de {place}.', 'This account was opened by a link of {place}.'], {
          place: opened_by,
        })
  const ask = say(
    [
      'Appelez cette personne à un numéro que vous connaissez. « Mon compte » doit lui montrer le code {code} ; sinon, refusez le rôle.',
      'Call this person at a number that you know. Their “My account” must show the code {code}; otherwise decline the role.',
    ],
    { code: account_code },
  )
  return `${by} ${ask}`
}

/** The same as a warning above the confirmation. */
export function compareNote(say: Say, compared: AccountToCompare): Html {
  return note('care', say(['Comparez le code du compte', 'Compare the account code']), compareWords(say, compared))
}
