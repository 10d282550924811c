/** A merchant's available balance in francs, read under its lock and reduced by each decision. */
export type SettlementFunds = { available: number }

/** The facts that decide one request, besides the balance. */
export type SettlementRequest = {
  amount: number
  /** Whether the merchant's account is active. */
  merchant_active: boolean
  /** Null when the destination is not in this merchant's book of this mode, or is archived. */
  destination: {
    /** Whether it is the designated destination. */
    is_designated: boolean
    /** Whether its cooling-off is over. */
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
 * Decides a settlement. The order of the refusals is that of the interface: the destination, the merchant and the designation, the floor,
 * the balance (docs/en/settlement.md). Pure, except that it reduces `funds`, so that each of several requests is decided on the balance that
 * the previous one left.
 * @param floor the smallest settlement, in francs
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
