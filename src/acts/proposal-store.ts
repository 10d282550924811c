import { defineEffect } from '../platform/commands/effects.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { lockById } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { ActProposal, ProposedAct } from './proposal.ts'

const columns = [
  ...['merchant_id', 'livemode', 'id', 'act', 'subject', 'key', 'amount', 'typed', 'content', 'status', 'proposed_by'],
  ...['proposed_at', 'decided_by', 'decided_at', 'sealed', 'outcome', 'refusal_reason'],
]

/** The most proposals in one list. */
const SHOWN_MAX = 500

export type NewProposal = Omit<ActProposal, 'decided_by' | 'decided_at' | 'outcome' | 'status' | 'refusal_reason'>

export const addProposal = defineEffect<NewProposal>('new row', (tx, proposals) => {
  for (const { merchant_id, livemode, id, act, subject, key, amount, typed, content, sealed, ...by } of proposals) {
    tx.send(tx`
      insert into act_proposals
        (merchant_id, livemode, id, act, subject, key, amount, typed, content, sealed, proposed_by, proposed_at)
      values (${merchant_id}, ${livemode}, ${id}, ${act}, ${subject}, ${key}, ${amount}, ${tx.json(typed)}, ${tx.json(content)},
              ${sealed}, ${by.proposed_by}, ${by.proposed_at})`)
  }
})

/** Writes the decisions on locked proposals. The database refuses the proposer, and a second decision. */
export const writeActDecision = defineEffect<ActProposal>('act proposal', (tx, decided) => {
  for (const { merchant_id, livemode, id, status, decided_by, decided_at, outcome, refusal_reason } of decided) {
    tx.send(tx`
      update act_proposals
         set status = ${status}, decided_by = ${decided_by}, decided_at = ${decided_at}, outcome = ${outcome},
             refusal_reason = ${refusal_reason}, sealed = null
       where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`)
  }
})

/** Locks a proposal of one of these acts until the transaction ends. Null when there is none. */
export async function lockProposal<Typed>(
  tx: Tx,
  id: string,
  ...acts: readonly ProposedAct[]
): Promise<ActProposal<Typed> | null> {
  const found = await lockById<ActProposal<Typed>>(tx, 'act_proposals', columns, id)
  return found !== null && acts.includes(found.act) ? found : null
}

/** Reads a proposal of one of these acts. Null when there is none. */
export async function readProposal(db: Db, id: string, acts: readonly ProposedAct[]): Promise<ActProposal | null> {
  const [row] = await db<ActProposal[]>`
    select ${db(columns)}
      from act_proposals
     where id = ${id} and act = any(${[...acts]}::text[])`
  return row ?? null
}

/** Finds the act and the place of a proposal by its id, in any mode. Null when there is none. */
export async function findProposal(
  db: Db,
  id: string,
): Promise<Pick<ActProposal, 'merchant_id' | 'livemode' | 'act'> | null> {
  const [row] = await db<Pick<ActProposal, 'merchant_id' | 'livemode' | 'act'>[]>`
    select merchant_id, livemode, act
      from act_proposals
     where id = ${id}`
  return row ?? null
}

/** Reads the proposal of an act that waits under a key. Null when none does. @param key null: it has no name, and each is another */
export async function readWaitingProposal(
  db: Db,
  { merchant_id, livemode }: Tenant,
  act: string,
  key: string | null,
): Promise<ActProposal | null> {
  if (key === null) return null
  const [row] = await db<ActProposal[]>`
    select ${db(columns)}
      from act_proposals
     where merchant_id = ${merchant_id} and livemode = ${livemode} and act = ${act} and key = ${key} and status = 'proposed'`
  return row ?? null
}

/** Lists the proposals of one mode that wait for a second person, oldest first, at most 500. */
export function readWaitingProposals(db: Db, livemode: boolean): Promise<ActProposal[]> {
  return db<ActProposal[]>`
    select ${db(columns)}
      from act_proposals
     where status = 'proposed' and livemode = ${livemode}
     order by proposed_at
     limit ${SHOWN_MAX}`
}
