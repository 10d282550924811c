import type { Db, Tx } from '../../platform/postgres/database.ts'
import { given } from '../../platform/postgres/rows.ts'
import type { Tenant } from '../../values/caller.ts'
import type { InstructionKey } from '../instruction.ts'
import type { Evidence } from '../port.ts'

// Operators' callbacks, as they arrived.

export type NewCallback = { connector: string; digest: Buffer; reference: string; evidence: Evidence }

/**
 * Stores callbacks, each once; `times_received` counts its repetitions. Returns for each, in the given order, the
 * instruction that it is about, null when the reference is unknown, and whether its bytes are new. Of several with the
 * same bytes, only the first is new.
 */
export async function keepCallbacks(
  tx: Tx,
  callbacks: readonly NewCallback[],
): Promise<{ key: InstructionKey | null; isNew: boolean }[]> {
  const bytesOf = ({ connector, digest }: NewCallback) => `${connector}/${digest.toString('hex')}`
  const groups = [...Map.groupBy(callbacks, bytesOf).values()]
  const firsts = groups.map(([first]) => first!)
  const keys = await findByReference(tx, firsts)
  const rows = groups.map((group, at) => ({
    connector: firsts[at]!.connector,
    digest_hex: firsts[at]!.digest.toString('hex'),
    reference: firsts[at]!.reference,
    evidence: firsts[at]!.evidence,
    outcome: keys[at] === undefined ? 'unmatched' : 'asked',
    times: group.length,
  }))
  const counts = new Map((await insertCallbacks(tx, rows)).map((row) => [`${row.connector}/${row.digest}`, row]))
  const kept = new Map(
    groups.map((group, at) => {
      const bytes = bytesOf(firsts[at]!)
      return [bytes, { key: keys[at] ?? null, isNew: counts.get(bytes)!.times_received === group.length }]
    }),
  )
  const first = new Set(firsts)
  return callbacks.map((callback) => {
    const { key, isNew } = kept.get(bytesOf(callback))!
    return { key, isNew: isNew && first.has(callback) }
  })
}

/** Reads the state that the connector stored with the order of this reference. Null when there is none, or no such order. */
export async function readStateOf(db: Db, connector: string, reference: string): Promise<Evidence | null> {
  const [key] = await db<InstructionKey[]>`
    select merchant_id, livemode, subject_id
      from operator_references
     where connector = ${connector} and reference = ${reference}
     limit 1`
  if (key === undefined) return null
  const { merchant_id, livemode, subject_id } = key
  const [row] = await db<{ operator_state: Evidence | null }[]>`
    select operator_state
      from instructions
     where subject_id = ${subject_id} and merchant_id = ${merchant_id} and livemode = ${livemode}`
  return row?.operator_state ?? null
}

/** Finds the instruction of each reference, in the given order; undefined for a reference that is not ours. */
async function findByReference(
  tx: Tx,
  wanted: readonly { connector: string; reference: string }[],
): Promise<(InstructionKey | undefined)[]> {
  const numbered = wanted.map(({ connector, reference }, at) => ({ at, connector, reference }))
  const found = await tx<(Tenant & { at: number; subject_id: string })[]>`
    select w.at::integer as at, r.merchant_id, r.livemode, r.subject_id
      from ${given(tx, 'operator_references w', numbered, ['at', 'connector', 'reference'])}
     cross join lateral (
           select merchant_id, livemode, subject_id
             from operator_references
            where connector = w.connector and reference = w.reference
            limit 1) r`
  const byPlace = new Map(found.map(({ at, ...key }) => [at, key]))
  return wanted.map((_, at) => byPlace.get(at))
}

type CallbackRow = Pick<NewCallback, 'connector' | 'reference' | 'evidence'> & {
  digest_hex: string
  outcome: string
  times: number
}

// In key order, so that two processes that store the same callbacks do not deadlock.
function insertCallbacks(tx: Tx, rows: readonly CallbackRow[]) {
  return tx<{ connector: string; digest: string; times_received: number }[]>`
    insert into operator_callbacks (connector, digest, reference, evidence, outcome, times_received)
    select connector, decode(digest_hex, 'hex') as digest, reference, evidence, outcome, times::integer
      from ${given(tx, 'operator_callbacks c', rows, ['connector', 'digest_hex', 'reference', 'evidence', 'outcome', 'times'])}
     order by connector, digest
        on conflict (connector, digest)
        do update set times_received = operator_callbacks.times_received + excluded.times_received
    returning connector, encode(digest, 'hex') as digest, times_received`
}

/** Whether this connector's operator has sent a callback about a reference of ours. */
export async function hasHeardFrom(db: Db, connector: string): Promise<boolean> {
  const [row] = await db<{ heard: boolean }[]>`
    select exists (select from operator_callbacks where connector = ${connector} and outcome = 'asked') as heard`
  return row!.heard
}
