import type { NameMatch } from '../operators/port.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Db } from '../platform/postgres/database.ts'
import { insertRows } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { SessionKey } from './store.ts'

/** An owner's number that a payment of its session proves once it has succeeded. */
export type NumberProof = SessionKey & {
  readonly person: string
  readonly msisdn: string
  readonly operator: string
  /** The owner, under whose name the number is. */
  readonly holder: string
  /** Whether the operator knows the number under this name. Null: it was not asked. */
  readonly name_match: Exclude<NameMatch, 'no_match'> | null
  readonly made_at: Date
}

/** The hours within which a payment proves a number: it may belong to another person later. */
export const PROOF_HOURS = 24

export const insertProof = defineEffect<Omit<NumberProof, 'made_at'>>('new row', (tx, proofs) => {
  insertRows(tx, 'number_proofs', proofs)
})

const columns = [
  'merchant_id',
  'livemode',
  'session_id',
  'person',
  'msisdn',
  'operator',
  'holder',
  'name_match',
  'made_at',
]

/** Reads the proof of a session. Null: it is not this merchant's, or the session proves no number. */
export async function readProof(
  db: Db,
  { merchant_id, livemode, session_id }: SessionKey,
): Promise<NumberProof | null> {
  const [row] = await db<NumberProof[]>`
    select ${db(columns)}
      from number_proofs
     where merchant_id = ${merchant_id} and livemode = ${livemode} and session_id = ${session_id}`
  return row ?? null
}

/** Reads the last proof that a person began within the hours in which it counts. Null when there is none. */
export async function readLastProof(
  db: Db,
  { merchant_id, livemode }: Tenant,
  person: string,
): Promise<NumberProof | null> {
  const [row] = await db<NumberProof[]>`
    select ${db(columns)}
      from number_proofs
     where merchant_id = ${merchant_id} and livemode = ${livemode} and person = ${person}
       and made_at > clock_now() - make_interval(hours => ${PROOF_HOURS})
     order by made_at desc
     limit 1`
  return row ?? null
}
