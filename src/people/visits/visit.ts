/** Minutes for which a staff member may read a merchant's console. The database enforces them too. */
export const VISIT_MINUTES = 30

/** A staff member reads a merchant's console, in both modes, and changes nothing. */
export type Visit = {
  merchant_id: number
  visit_id: string
  /** The e-mail address, as in the audit log. */
  person: string
  /** The reason, in the person's own words, which the merchant reads. */
  reason: string
  begun_at: Date
  ends_at: Date
  /** Null: the visit is running, or its time ended it. */
  ended_at: Date | null
}

/** A running visit, with the merchant's name for the pages. */
export type OpenVisit = Visit & { merchant_name: string }
