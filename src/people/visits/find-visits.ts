import type { Db } from '../../platform/postgres/database.ts'
import * as store from './store.ts'
import type { OpenVisit, Visit } from './visit.ts'

/** Visits shown together. */
const SHOWN_MAX = 100

/** The visit of a person at a merchant that goes on; null: there is none. Their right is the caller's to check. */
export function findOpenVisit(db: Db, person: string, merchant_id: number): Promise<OpenVisit | null> {
  return store.readOpenVisit(db, { person, merchant_id })
}

/** The newest visits at a merchant, the newest first. */
export function findVisits(db: Db, merchant_id: number): Promise<Visit[]> {
  return store.readVisits(db, merchant_id, SHOWN_MAX)
}
