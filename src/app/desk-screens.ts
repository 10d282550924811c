import { accountProposalScreens } from '../screens/account-proposals/account-proposal-routes.ts'
import { connectorScreens } from '../screens/connectors/connector-routes.ts'
import { adjustmentScreens } from '../screens/desk/adjustment-screens.ts'
import { auditScreens } from '../screens/desk/audit-routes.ts'
import { deskCapScreens } from '../screens/desk/cap-screens.ts'
import { caseActs, getCase } from '../screens/desk/case-routes.ts'
import { getQueue, postGiveBackCase, postTakeCase } from '../screens/desk/queue-routes.ts'
import { getDeskRefund, getDeskRefunds, postRefundGivenUp, postRefundPaid } from '../screens/desk/refund-routes.ts'
import { deskSearchScreens } from '../screens/desk/search-routes.ts'
import {
  getDeskSettlement,
  getDeskSettlements,
  postBankFile,
  settlementDecisions,
} from '../screens/desk/settlement-routes.ts'
import { getSwitch, switchActs } from '../screens/desk/switch-routes.ts'
import { deskDestinationScreens } from '../screens/destination/desk-destination-routes.ts'
import { getLive } from '../screens/live/live-routes.ts'
import { merchantScreens } from '../screens/merchants/merchant-routes.ts'
import { getOwed } from '../screens/owed/owed-routes.ts'
import { ownerScreens } from '../screens/people/owner-routes.ts'
import { peopleScreens } from '../screens/people/people-routes.ts'
import { staffScreens } from '../screens/people/staff-routes.ts'
import { refundScreens } from '../screens/refunds/refund-payment-routes.ts'
import { refundRequestScreens } from '../screens/refunds/request-routes.ts'
import { transferScreens } from '../screens/transfers/transfer-routes.ts'

/** The screens of the desk, in the order of its menu. */
export const deskScreens = [
  getQueue,
  postTakeCase,
  postGiveBackCase,
  getCase,
  ...caseActs,
  ...deskSearchScreens,
  getDeskSettlements,
  postBankFile,
  ...transferScreens,
  getDeskSettlement,
  ...settlementDecisions,
  getDeskRefunds,
  ...refundScreens,
  ...refundRequestScreens,
  getDeskRefund,
  postRefundPaid,
  postRefundGivenUp,
  ...adjustmentScreens,
  getSwitch,
  ...switchActs,
  ...connectorScreens,
  ...accountProposalScreens,
  getOwed,
  getLive,
  ...merchantScreens,
  ...deskDestinationScreens,
  ...deskCapScreens,
  ...staffScreens,
  ...ownerScreens,
  ...peopleScreens,
  ...auditScreens,
] as const
