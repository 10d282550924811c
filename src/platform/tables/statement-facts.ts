/** The facts that a bank's message states beside its rows. A reader fills them while it reads. */
export type StatementFacts = {
  /** The accounts of its parts, as written. */
  readonly accounts: Set<string>
  currency: string | null
  /** The first and last booked balances, as signed numbers with a point. Null: not stated. */
  opening: string | null
  closing: string | null
}

export const noFacts = (): StatementFacts => ({ accounts: new Set(), currency: null, opening: null, closing: null })
