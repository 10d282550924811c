import type { Db } from '../../platform/postgres/database.ts'
import * as store from './store.ts'
import type { OpenVisit, Visit } from './visit.ts'

/** The most visits in the list. */
const SHOWN_MAX = 100

/** Finds the running visit of a person at a merchant. Null: there is none. The caller checks the person's right. */
export function findOpenVisit(db: Db, person: string, merchant_id: number): Promise<OpenVisit | null> {
  return store.readOpenVisit(db, { person, merchant_id })
}

/** Lists the visits at a merchant, newest first. */
export function findVisits(db: Db, merchant_id: number): Promise<Visit[]> {
  return store.readVisits(db, merchant_id, SHOWN_MAX)
}
