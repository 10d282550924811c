import { type Fact, lineField, merchantFact, text } from '../acts/facts.ts'
import type { Words } from '../values/language.ts'
import { type RoleRow, STAFF } from './person.ts'
import { roleWords } from './role-words.ts'
import type { LockedPerson } from './store.ts'

type Held = Pick<RoleRow, 'role' | 'merchant_id'>

/** Writes roles, each with the number of its merchant. */
function writeRoles(roles: readonly Held[]): Words {
  const write = (language: 0 | 1) =>
    roles
      .map(({ role, merchant_id }) => roleWords[role][language] + (merchant_id === STAFF ? '' : ` (${merchant_id})`))
      .join(', ')
  return [write(0), write(1)]
}

/** A person and the roles that an act concerns. */
export const personFacts = {
  person: text(['Personne', 'Person']),
  name: text(['Nom', 'Name']),
  merchant: merchantFact,
  roles: { name: ['Rôles', 'Roles'], write: writeRoles } satisfies Fact<readonly Held[]>,
} as const

/** The values of `personFacts`. The status is signed too. */
export function contentOf({ email, name, status }: LockedPerson, roles: readonly Held[]) {
  const held = roles.map(({ role, merchant_id }) => ({ role, merchant_id }))
  return { person: email, name: name === email ? null : name, roles: held, status }
}

/** The role that a form or a command names. One that nobody has is not found. */
export const roleField = lineField(text(['Rôle', 'Role']), {
  label: ['Rôle', 'Role'],
  longest: 100,
  fault: ['Choisissez un rôle.', 'Choose a role.'],
  option: {
    ...{ value: 'ROLE', sample: 'administrator', must: 'names a role.' },
    says: 'a role, of a merchant with --merchant and of the staff without',
  },
})
