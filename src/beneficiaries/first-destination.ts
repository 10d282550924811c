import type { RefusalWords } from '../acts/act.ts'
import { findFormerOwners } from '../people/former-owners.ts'
import { tellPeople } from '../people/notices/notify.ts'
import type { Effect } from '../platform/commands/effects.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type Deciders, hasSecond, readDeciders } from './destination-deciders.ts'
import { hasConfirmed, readWaiting } from './proposal-store.ts'
import { readDesignated } from './store.ts'

// The first destination of a merchant of one person: its owner chooses a number of their own alone, because a payment from it stands in the place of
// the second person. Every other destination takes two people.

/** The facts that decide whether a person may choose a number of their own. */
export type FirstDestination = {
  readonly deciders: Deciders
  /** Whether none was designated in this mode before, not even one that was stopped. */
  readonly is_first: boolean
  /** Whether another destination waits for its second person. */
  readonly waits: boolean
}

export async function readFirstDestination(db: Db, tenant: Tenant): Promise<FirstDestination> {
  const [deciders, designated, had, waiting] = await Promise.all([
    readDeciders(db, tenant.merchant_id),
    readDesignated(db, tenant),
    hasConfirmed(db, tenant),
    readWaiting(db, tenant),
  ])
  return { deciders, is_first: designated === null && !had, waits: waiting !== null }
}

/** Why this person may not choose a number of their own. Null: they may. */
export function whyNotAlone(
  { deciders, is_first, waits }: FirstDestination,
  person: string,
): keyof typeof aloneRefusals | null {
  if (deciders.get(person)?.owner !== true) return 'not_owner'
  if (hasSecond(deciders, person)) return 'two_people'
  if (!is_first) return 'not_first'
  return waits ? 'another_waits' : null
}

export const aloneRefusals = {
  not_owner: [
    'Seule une personne propriétaire choisit son numéro. Rien n’est changé.',
    'Only an owner chooses a number of their own. Nothing is changed.',
  ],
  two_people: [
    'Vous êtes plusieurs : une personne propose la destination, une autre la confirme.',
    'You are several: one person proposes the destination, another confirms it.',
  ],
  not_first: [
    'Votre argent a déjà eu une destination : pour en changer, l’équipe du service vous rappelle.',
    'Your money had a destination before: to change it, the team of the service calls you back.',
  ],
  another_waits: [
    'Une autre destination est proposée. Retirez-la d’abord.',
    'Another destination is proposed. Withdraw it first.',
  ],
} as const satisfies Record<string, RefusalWords>

/**
 * Reads the people whom a new destination concerns: all owners, its maker among them, because somebody else may hold their telephone, and the owners who
 * were disabled in the last 90 days.
 */
export async function readOwnersToTell(db: Db, merchant_id: number, deciders: Deciders): Promise<string[]> {
  const owners = [...deciders].filter(([, { owner }]) => owner).map(([email]) => email)
  const former = await findFormerOwners(db, merchant_id)
  return [...new Set([...owners, ...former.map(({ email }) => email)])]
}

/** Tells them of it. @param subject the destination */
export function tellOfDestination(about: Tenant, subject: string, to: readonly string[]): Effect[] {
  return to.length === 0 ? [] : [tellPeople({ name: 'destination_chosen', about, subject, to })]
}
