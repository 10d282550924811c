/** A merchant's available balance in francs, as read under its lock and as each decision leaves it. */
export type SettlementFunds = { available: number }

/** The facts that one request is decided on, beside the balance. */
export type SettlementRequest = {
  amount: number
  /** False: the merchant's account is deactivated. */
  merchant_active: boolean
  /** Null: not in the book, archived, another's, or of the other mode. */
  destination: {
    /** Whether settlements go there now. */
    is_designated: boolean
    /** Whether its designation is old enough. */
    has_cooled: boolean
  } | null
}

export type SettlementRefusal =
  | 'destination_introuvable'
  | 'merchant_inactive'
  | 'destination_non_designee'
  | 'destination_trop_recente'
  | 'sous_le_plancher'
  | 'montant_non_eligible'

export type SettlementDecision = { kind: 'accepted' } | { kind: 'refused'; code: SettlementRefusal }

/**
 * Whether a settlement is accepted. Refusals in the order of precedence: the subject, its state, the limit, the funds
 * (docs/interface.md). Pure but for `funds`, which it moves on, so that the requests that waited together are decided one
 * after the other, each on what the one before left.
 * @param floor the smallest settlement in francs
 */
export function decideSettlement(
  funds: SettlementFunds,
  floor: number,
  { amount, merchant_active, destination }: SettlementRequest,
): SettlementDecision {
  const refused = (code: SettlementRefusal): SettlementDecision => ({ kind: 'refused', code })
  if (destination === null) return refused('destination_introuvable')
  if (!merchant_active) return refused('merchant_inactive')
  if (!destination.is_designated) return refused('destination_non_designee')
  if (!destination.has_cooled) return refused('destination_trop_recente')
  if (amount < floor) return refused('sous_le_plancher')
  if (amount > funds.available) return refused('montant_non_eligible')
  funds.available -= amount
  return { kind: 'accepted' }
}
