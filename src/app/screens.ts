import type { Screen } from '../console/screen.ts'
import { approve, checkNames, listApprovals, reject, showApproval } from '../screens/approvals/routes.ts'
import { deskScreens } from './desk-screens.ts'

/** Every screen of the console and of the desk, in the order of their menus: a screen that is not here does not answer. */
export const screens = [
  listApprovals,
  showApproval,
  approve,
  reject,
  checkNames,
  ...deskScreens,
] as const satisfies readonly Screen<never>[]
