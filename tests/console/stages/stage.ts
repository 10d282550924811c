import type { AnyAct } from '../../../src/acts/act.ts'
import type { Sql } from '../../../src/platform/postgres/database.ts'
import type { Tenant } from '../../../src/values/caller.ts'
import { type Collector, newCollector } from '../../contract/collector.ts'
import type { Installation } from '../../harness/installation.ts'

/** The subject of one act. */
export type Subject = {
  /** The parameters of its address, besides mode and merchant. */
  params: Record<string, string>
  /** The fields that name it, for an act whose address does not. */
  named?: Record<string, string> | undefined
  /** The options that name it, for a command whose options differ from the fields. */
  words?: string[]
  /** The subject of its line in the audit log. `new`: the act makes it. */
  subject: string | null | 'new'
  /** Reads what the act changes. */
  state(): Promise<unknown>
  /** Changes what the person reads before they agree. Absent: the act shows nothing that could change. */
  change?(): Promise<unknown>
}

export type Stage = {
  act: AnyAct
  /** The typed fields. */
  fields?: Record<string, string>
  /** The same act with another content, for an act with fields. */
  otherFields?: Record<string, string>
  /** Whether a second person does it. `open` then takes the first one. */
  second?: true
  /** The name of its line, when that of another act. */
  line?: string
  /** The name of the line of its command on the host, which does more than the act. */
  onHost?: string
  /** Whether its page has tests of its own in place of the walk: it is written by hand, or needs a merchant of its own. */
  byHand?: true
  /** Whether its command names the fields by options of its own. */
  otherOptions?: true
  /** Whether its subject is of both modes. */
  inBothModes?: true
  /** Whether it concerns another merchant than that of the stand. */
  elsewhere?: true
  /** Whether only the first person does it. */
  own?: true
  /** Whether a merchant has only one such subject at a time. */
  single?: true
  /** Whether its page shows its result at once, such as a secret, in place of a move to another page. */
  shows?: true
  open(stand: Stand, first: string): Promise<Subject>
}

/** A service with a merchant, on which the subjects are made. */
export type Stand = { installation: Installation; sql: Sql; tenant: Tenant; collector: Collector }

export async function openStage(installation: Installation): Promise<Stand> {
  const collector = await newCollector(installation)
  return { installation, sql: installation.db.sql, tenant: collector.tenant, collector }
}

/** Gives the merchant another name, which people read in most questions. */
export const rename = ({ sql, tenant }: Stand) =>
  sql`update merchants set name = name || ' bis' where merchant_id = ${tenant.merchant_id}`

export function rowOf(
  stand: Stand,
  table: string,
  id: string,
  column = 'id',
): Pick<Subject, 'params' | 'subject' | 'state'> {
  const { sql } = stand
  const state = async () =>
    (await sql`select to_jsonb(${sql(table)}) from ${sql(table)} where ${sql(column)} = ${id}`)[0]
  return { params: { id }, subject: id, state }
}

/** The merchant itself, for an act that adds a row to a table. */
export function ofMerchant(stand: Stand, table: string): Subject {
  const { merchant_id } = stand.tenant
  const state = async () =>
    (
      await stand.sql<{ count: number }[]>`
        select count(*)::integer as count from ${stand.sql(table)} where merchant_id = ${merchant_id}`
    )[0]
  return { params: { id: String(merchant_id) }, subject: 'new', state, change: () => rename(stand) }
}

let made = 0

/** Another figure each time, so that no two acts of a run are the same. */
export const another = (): number => ++made
