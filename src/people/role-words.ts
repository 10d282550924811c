import type { Words } from '../values/language.ts'
import type { MerchantRole, StaffRole } from '../values/rights.ts'

export const roleWords: Readonly<Record<MerchantRole | StaffRole, Words>> = {
  owner: ['Propriétaire', 'Owner'],
  developer: ['Développeur', 'Developer'],
  maker: ['Demandeur', 'Maker'],
  approver: ['Approbateur', 'Approver'],
  accountant: ['Comptable', 'Accountant'],
  viewer: ['Lecteur', 'Viewer'],
  cashier: ['Caissier', 'Cashier'],
  support: ['Assistance', 'Support'],
  operations: ['Opérations', 'Operations'],
  finance: ['Finance', 'Finance'],
  compliance: ['Conformité', 'Compliance'],
  administrator: ['Administrateur', 'Administrator'],
}
