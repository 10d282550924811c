/**
 * The rights of people. A screen or an operation requires a right, never a role. A role is a set of rights, and a person has the rights of all
 * their roles.
 */
const merchantRights = {
  'balances.read': ['owner', 'maker', 'approver', 'accountant', 'viewer'],
  'payments.read': ['owner', 'developer', 'maker', 'approver', 'accountant', 'viewer'],
  'refunds.ask': ['owner', 'maker', 'accountant'],
  'payouts.read': ['owner', 'maker', 'approver', 'accountant', 'viewer'],
  'payouts.make': ['owner', 'maker'],
  'payouts.fund': ['owner', 'accountant'],
  'payouts.approve': ['owner', 'approver'],
  'beneficiaries.read': ['owner', 'maker', 'approver', 'accountant', 'viewer'],
  'beneficiaries.manage': ['owner', 'maker'],
  'links.read': ['owner', 'developer', 'maker', 'approver', 'accountant', 'viewer', 'cashier'],
  'links.manage': ['owner', 'maker', 'developer', 'cashier'],
  // A printed code that is closed is never opened again.
  'links.close': ['owner', 'maker', 'developer'],
  'own_tills.read': ['owner', 'cashier'],
  'settlements.read': ['owner', 'accountant', 'approver', 'viewer'],
  'settlements.request': ['owner', 'accountant'],
  'destination.propose': ['owner', 'accountant'],
  'destination.confirm': ['owner', 'approver'],
  'statement.read': ['owner', 'accountant', 'approver', 'viewer'],
  'charts.read': ['owner', 'developer', 'maker', 'approver', 'accountant', 'viewer'],
  'exports.take': ['owner', 'accountant'],
  'keys.read': ['owner', 'developer', 'approver'],
  'keys.manage': ['owner', 'developer'],
  'keys.confirm': ['owner', 'approver'],
  'webhooks.read': ['owner', 'developer'],
  'webhooks.manage': ['owner', 'developer'],
  'requests.read': ['owner', 'developer'],
  'caps.propose': ['owner', 'maker', 'approver'],
  // A lower limit of payments refuses payers at once.
  'caps.limit_payments': ['owner'],
  'team.read': ['owner', 'developer', 'maker', 'approver', 'accountant', 'viewer'],
  'team.manage': ['owner'],
  'team.confirm': ['owner', 'approver'],
} as const

const staffRights = {
  'desk.read': ['support', 'operations', 'finance', 'compliance', 'administrator'],
  'cases.read': ['support', 'operations', 'finance', 'compliance'],
  'cases.decide': ['operations', 'finance'],
  'settlements.validate': ['finance'],
  'settlements.pay': ['finance'],
  'refunds.manage': ['operations', 'finance'],
  'adjustments.manage': ['finance'],
  'deposits.record': ['finance'],
  'fees.manage': ['finance'],
  'statements.import': ['operations', 'finance'],
  'connectors.read': ['support', 'operations', 'finance'],
  'connectors.manage': ['operations'],
  'float.manage': ['finance'],
  'accounts.manage': ['finance'],
  'listings.rebuild': ['operations'],
  'payouts.stop': ['support', 'operations', 'finance', 'compliance'],
  'payouts.resume': ['operations', 'finance'],
  'caps.confirm': ['compliance'],
  'merchants.read': ['support', 'operations', 'finance', 'compliance'],
  'merchants.manage': ['compliance'],
  'merchants.look': ['support', 'operations', 'finance', 'compliance'],
  'audit.read': ['compliance', 'administrator'],
  'people.read': ['administrator', 'compliance'],
  'people.manage': ['administrator'],
} as const

/** The rights of a staff member who visits a merchant's console: only those to read. */
export const visitRights: ReadonlySet<Right> = new Set(
  (Object.keys(merchantRights) as MerchantRight[]).filter((right) => right.endsWith('.read')),
)

export type MerchantRight = keyof typeof merchantRights
export type StaffRight = keyof typeof staffRights
export type Right = MerchantRight | StaffRight

/** All rights, for tables that must not forget one. */
export const allRights = [...Object.keys(merchantRights), ...Object.keys(staffRights)] as readonly Right[]

export const merchantRoles = ['owner', 'developer', 'maker', 'approver', 'accountant', 'viewer', 'cashier'] as const
export const staffRoles = ['support', 'operations', 'finance', 'compliance', 'administrator'] as const
export type MerchantRole = (typeof merchantRoles)[number]
export type StaffRole = (typeof staffRoles)[number]

/** The rights of several roles together. An unknown role gives none. */
export function rightsOf(roles: readonly string[]): ReadonlySet<Right> {
  const tables: readonly Readonly<Record<string, readonly string[]>>[] = [merchantRights, staffRights]
  const given = tables.flatMap((table) =>
    Object.entries(table).filter(([, needed]) => needed.some((role) => roles.includes(role))),
  )
  return new Set(given.map(([right]) => right as Right))
}

/** The roles with a right, for the sentence that names them. */
export function rolesWith(right: Right): readonly string[] {
  return right in merchantRights ? merchantRights[right as MerchantRight] : staffRights[right as StaffRight]
}

/**
 * The decisions that take two people: the rights of those who begin one, the rights of those who decide on it, and the checks by which the database
 * refuses one person for both. The roles that wait for a second person follow from this table.
 */
export const decisionsOfTwo = {
  payout_request: {
    begun_with: ['payouts.make', 'keys.manage'],
    decided_with: ['payouts.approve'],
    checks: ['payout_requests_two_people', 'payout_requests_makers_side'],
  },
  payout_batch: {
    begun_with: ['payouts.make', 'keys.manage'],
    decided_with: ['payouts.approve'],
    checks: ['payout_batches_two_people', 'payout_batches_makers_side'],
  },
  api_key: { begun_with: ['keys.manage'], decided_with: ['keys.confirm'], checks: ['api_keys_two_people'] },
  destination: {
    begun_with: ['destination.propose'],
    // The company in place of a second person that the merchant lacks.
    decided_with: ['destination.confirm', 'merchants.manage'],
    checks: [
      ...['destination_proposals_two_people', 'destination_proposals_independent'],
      ...['destination_proposals_company_two_people', 'destination_proposals_caller_independent'],
    ],
  },
  settlement: {
    begun_with: ['settlements.request'],
    decided_with: ['settlements.validate', 'settlements.pay'],
    checks: [
      ...['settlements_two_people', 'settlements_two_people_compared', 'settlements_validated_independent'],
      ...['settlements_paid_independent', 'settlements_rejected_independent'],
    ],
  },
  higher_cap: {
    begun_with: ['caps.propose'],
    decided_with: ['caps.confirm'],
    checks: ['cap_proposals_two_people', 'cap_proposals_independent'],
  },
  role: {
    begun_with: ['team.manage', 'people.manage'],
    decided_with: ['team.confirm', 'people.manage'],
    checks: ['person_roles_two_people', 'person_roles_of_others'],
  },
  doubt: {
    begun_with: ['cases.decide'],
    decided_with: ['cases.decide'],
    checks: ['anomaly_proposals_two_people', 'anomaly_proposals_independent'],
  },
  refund_by_hand: {
    begun_with: ['refunds.manage'],
    decided_with: ['refunds.manage'],
    checks: ['refunds_two_people', 'refunds_independent'],
  },
  /** A deposit or a refund of a large sum in live mode, a new connector, a changed address of one, a route to a new one, and what two people decide about an external account. */
  act_of_one: {
    begun_with: ['deposits.record', 'refunds.manage', 'connectors.manage', 'adjustments.manage'],
    decided_with: ['deposits.record', 'refunds.manage', 'connectors.manage', 'adjustments.manage'],
    checks: ['act_proposals_two_people', 'act_proposals_independent'],
  },
  adjustment: {
    begun_with: ['adjustments.manage'],
    decided_with: ['adjustments.manage'],
    checks: ['adjustments_two_people', 'adjustments_independent'],
  },
  resumption: {
    begun_with: ['payouts.resume'],
    decided_with: ['payouts.resume'],
    checks: ['payout_stops_two_people', 'payout_stops_independent'],
  },
  single_person: {
    begun_with: ['merchants.manage'],
    decided_with: ['merchants.manage'],
    checks: ['single_person_terms_two_people', 'single_person_terms_independent'],
  },
} as const satisfies Readonly<Record<string, DecisionOfTwo>>

type DecisionOfTwo = {
  readonly begun_with: readonly Right[]
  readonly decided_with: readonly Right[]
  readonly checks: readonly string[]
}

/** The rights that are one half of a decision of two people. */
export const halves: ReadonlySet<Right> = new Set(
  Object.values(decisionsOfTwo).flatMap(({ begun_with, decided_with }) => [...begun_with, ...decided_with]),
)

/**
 * The roles that a second person must confirm: those with one half of any such decision. Somebody who could give that half alone would be both
 * people. The trigger on `person_roles` has the same list.
 */
export const rolesToConfirm: ReadonlySet<string> = new Set(
  [...merchantRoles, ...staffRoles].filter((role) => !rightsOf([role]).isDisjointFrom(halves)),
)
