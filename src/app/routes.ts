import { getBeneficiary, listBeneficiaries, postBeneficiary } from '../beneficiaries/routes.ts'
import { pageRoutes } from '../checkout/page/routes.ts'
import { postCheckout } from '../checkout/routes.ts'
import { getLink, listLinks, postLink, postLinkClose } from '../checkout/x-routes.ts'
import { doorRoutes } from '../console/door-routes.ts'
import { screenRoutes } from '../console/serve-screens.ts'
import { getBalances } from '../ledger/x-routes.ts'
import { findSettlements, listBatches, listPayments, listPayouts } from '../listings/x-routes.ts'
import { callbackRoutes } from '../operators/callbacks/callback-routes.ts'
import { predictNumber } from '../operators/prediction/x-routes.ts'
import { listOperators } from '../operators/routing/x-routes.ts'
import { getSimulatorPage, postSimulatorPage } from '../operators/simulator/app-page.ts'
import { getPayment, postPayment } from '../payments/routes.ts'
import { postPaymentCancel, postPaymentCode } from '../payments/x-routes.ts'
import { cancelBatchRoute, executeBatchRoute, getBatch, postBatch } from '../payout-batches/routes.ts'
import { getBatchCheck, postBatchCheck } from '../payout-batches/x-routes.ts'
import { getPayout, postPayout } from '../payouts/routes.ts'
import { postPayoutCancel, postRecipientCheck } from '../payouts/x-routes.ts'
import { listLoggedRequests } from '../request-log/x-routes.ts'
import { getSettlement, listSettlements, postSettlement } from '../settlements/routes.ts'
import { getStatement } from '../statements/routes.ts'
import { getEvent, listEvents, replayEventRoute } from '../webhooks/x-routes.ts'
import { screens } from './screens.ts'

/** Every route of the API, including our extensions under `/x/`. A route that is not in this list is not served. */
export const apiRoutes = [
  postPayment,
  getPayment,
  postCheckout,
  postPayout,
  getPayout,
  postBatch,
  getBatch,
  executeBatchRoute,
  cancelBatchRoute,
  listBeneficiaries,
  getBeneficiary,
  postBeneficiary,
  postSettlement,
  listSettlements,
  getSettlement,
  getStatement,
  postPaymentCancel,
  postPaymentCode,
  postLink,
  listLinks,
  getLink,
  postLinkClose,
  postPayoutCancel,
  postRecipientCheck,
  postBatchCheck,
  getBatchCheck,
  getBalances,
  listOperators,
  predictNumber,
  listPayments,
  listPayouts,
  listBatches,
  findSettlements,
  listEvents,
  getEvent,
  replayEventRoute,
  listLoggedRequests,
] as const

/** The path prefix of our extensions. */
const EXTENSIONS = '/x/'

/**
 * The routes that this service serves.
 * @param extensions whether to include the extensions (setting EXTENSIONS)
 */
export function servedRoutes({ extensions }: { extensions: boolean }): readonly (typeof apiRoutes)[number][] {
  return extensions ? apiRoutes : apiRoutes.filter(({ path }) => !path.startsWith(EXTENSIONS))
}

/** Routes beside the API: payers' pages and operators' callbacks. The OpenAPI does not contain them. */
export const webRoutes = [...pageRoutes, getSimulatorPage, postSimulatorPage, ...callbackRoutes] as const

/** The console and the desk. They are for people and not part of the API. */
export const consoleRoutes = [...doorRoutes, ...screenRoutes(screens)] as const
