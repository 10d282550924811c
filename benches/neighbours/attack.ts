import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Figure } from './neighbour-order.ts'
import type { Shots } from './storm-order.ts'

/** The resources of an attack: a running service and a merchant that attacks, with two keys of each scope. */
export type Ground = {
  sql: Sql
  address: string
  merchant_id: number
  /** The first of each is for preparing, so that the second has its whole rate for the attack. */
  keys: { collect: string[]; payout: string[] }
  /** A count of the attack, or a twentieth of it in a quick run. */
  some(count: number): number
}

/** An attack that is ready. */
export type Prepared = {
  shots: Shots[]
  /** Done at the same moment as the shots. */
  begin?(): Promise<void>
  /** Whether it is over, once all shots are answered. Absent: it is. */
  isOver?(): Promise<boolean>
}

export type Attack = {
  what: string
  /** The figures of the neighbour that must hold beside the answers to its payments and payouts. */
  judged: readonly Figure[]
  prepare(ground: Ground): Promise<Prepared>
}
