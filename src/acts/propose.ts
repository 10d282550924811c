import type { ActName } from '../audit-log/act-words.ts'
import { readMovedAlone } from '../audit-log/store.ts'
import { takeAdvisoryLock } from '../platform/postgres/advisory-lock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import type { Words } from '../values/language.ts'
import type { ActAccepted } from './act.ts'
import { type Waits, waitsFor } from './proposal.ts'
import { addProposal } from './proposal-store.ts'

// An act in live mode that takes a second person: the first one's act makes a proposal in place of its effects, and `defineDecision` approves or
// refuses it. In test mode, and for a command on the host, one person is enough.

/** @property secondPersonAbove francs that one person moves alone in live mode, in one act and in 24 hours over all merchants; 0: none */
export type AloneDeps = { readonly secondPersonAbove: number }

/** The francs that a person has moved alone in 24 hours, and the limit. Null: one person is enough for any sum. */
export type Alone = { readonly moved: number; readonly limit: number } | null

/**
 * Reads what a person has moved alone by deposits and refunds. It locks the person's sum first, so that two acts at once do not both pass under the
 * limit.
 */
export async function readAlone(
  tx: Tx,
  by: Actor,
  { livemode }: Pick<Tenant, 'livemode'>,
  { secondPersonAbove: limit }: AloneDeps,
): Promise<Alone> {
  if (!livemode || isBreakGlass(by)) return null
  await takeAdvisoryLock(tx, `moves alone ${by.person}`)
  return { moved: await readMovedAlone(tx, by.person), limit }
}

/** Whether a sum takes a second person. */
export function takesSecond(alone: Alone, amount: number): boolean {
  return alone !== null && alone.moved + amount > alone.limit
}

/** The consequence to point out in the question of an act that will wait. */
export const secondDecides: Words = [
  'Une deuxième personne confirme d’abord : rien ne bouge avant.',
  'A second person confirms first: nothing moves before.',
]

type Asked = Omit<Parameters<typeof addProposal>[0], 'id' | 'sealed' | 'proposed_by' | 'proposed_at'> & {
  /** Settings that were sealed for the proposal of this id. */
  readonly settings?: { readonly id: string; readonly sealed: Uint8Array }
}

/** A new id for a proposal, for what is sealed with it. */
export const newProposalId = (now: Date): string => newId('prp', now.getTime())

/**
 * Accepts an act as a proposal.
 * @param line the name of its line in the audit log, and the values there
 */
export function propose(
  by: Actor,
  { settings, ...asked }: Asked,
  { line, after }: { line: ActName; after: object },
  now: Date,
): ActAccepted<Waits> {
  const id = settings?.id ?? newProposalId(now)
  const sealed = settings?.sealed ?? null
  const proposal = { ...asked, id, sealed, proposed_by: by.person, proposed_at: now }
  return {
    kind: 'accepted',
    effects: [addProposal(proposal)],
    result: waitsFor(proposal),
    subject: id,
    line,
    after,
  }
}
