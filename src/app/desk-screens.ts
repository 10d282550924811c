import {
  getCase,
  postApproveResolution,
  postAskOperator,
  postDisputeResolution,
  postOpenAnomaly,
  postProposeResolution,
} from '../screens/desk/case-routes.ts'
import { getQueue, postGiveBackCase, postTakeCase } from '../screens/desk/queue-routes.ts'
import {
  getDeskSettlement,
  getDeskSettlements,
  postBankFile,
  postPaySettlement,
  postRejectSettlement,
  postValidateSettlement,
} from '../screens/desk/settlement-routes.ts'

/** The screens of the desk, in the order of its menu. */
export const deskScreens = [
  getQueue,
  postTakeCase,
  postGiveBackCase,
  getCase,
  postAskOperator,
  postOpenAnomaly,
  postProposeResolution,
  postApproveResolution,
  postDisputeResolution,
  getDeskSettlements,
  postBankFile,
  getDeskSettlement,
  postValidateSettlement,
  postPaySettlement,
  postRejectSettlement,
] as const
