/** Minutes for which a staff member may read a merchant's console. The database holds it too. */
export const VISIT_MINUTES = 30

/** A staff member reads a merchant's console, in both modes, and changes nothing. */
export type Visit = {
  merchant_id: number
  visit_id: string
  /** As the audit log names them. */
  person: string
  /** In the person's words, for the merchant. */
  reason: string
  begun_at: Date
  ends_at: Date
  /** Null: it goes on, or ended by its time. */
  ended_at: Date | null
}

/** One that goes on, with the merchant's name for the pages. */
export type OpenVisit = Visit & { merchant_name: string }
