/**
 * The rights of people. A screen or an operation requires a right, never a role. A role is a set of rights, and a person has the rights of all
 * their roles.
 */
const merchantRights = {
  'balances.read': ['owner', 'maker', 'approver', 'accountant', 'viewer'],
  'payments.read': ['owner', 'developer', 'maker', 'approver', 'accountant', 'viewer'],
  'payouts.read': ['owner', 'maker', 'approver', 'accountant', 'viewer'],
  'payouts.make': ['owner', 'maker'],
  'payouts.approve': ['owner', 'approver'],
  'beneficiaries.read': ['owner', 'maker', 'approver', 'accountant', 'viewer'],
  'beneficiaries.manage': ['owner', 'maker'],
  'links.manage': ['owner', 'maker', 'developer'],
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
  'connectors.read': ['support', 'operations', 'finance'],
  'connectors.manage': ['operations'],
  'float.manage': ['finance'],
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

export const merchantRoles = ['owner', 'developer', 'maker', 'approver', 'accountant', 'viewer'] as const
export const staffRoles = ['support', 'operations', 'finance', 'compliance', 'administrator'] as const
export type MerchantRole = (typeof merchantRoles)[number]
export type StaffRole = (typeof staffRoles)[number]

/**
 * The roles that a second person must confirm: those with a right to move money, to raise a cap, or to let others near money. An administrator
 * who could make another one alone would be both people of every decision.
 */
export const rolesToConfirm: ReadonlySet<string> = new Set([
  ...['owner', 'maker', 'approver'],
  ...['operations', 'finance', 'compliance', 'administrator'],
])

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
