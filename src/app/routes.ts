import { getBeneficiary, listBeneficiaries, postBeneficiary } from '../beneficiaries/routes.ts'
import { pageRoutes } from '../checkout/page/routes.ts'
import { postCheckout } from '../checkout/routes.ts'
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
import { getSettlement, listSettlements, postSettlement } from '../settlements/routes.ts'
import { getStatement } from '../statements/routes.ts'
import { getEvent, listEvents, replayEventRoute } from '../webhooks/x-routes.ts'
import { screens } from './screens.ts'

/** Every route of the public interface, and those we added under `/x/`: what is not here does not answer. */
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
] as const

/** Where the routes are that we added to the interface, and nothing else is. */
const EXTENSIONS = '/x/'

/** The routes that this service answers. @param extensions whether those we added are among them (`EXTENSIONS`) */
export function servedRoutes({ extensions }: { extensions: boolean }): readonly (typeof apiRoutes)[number][] {
  return extensions ? apiRoutes : apiRoutes.filter(({ path }) => !path.startsWith(EXTENSIONS))
}

/** The routes beside the interface: pages for payers, and the callbacks of operators. None of them is in the OpenAPI. */
export const webRoutes = [...pageRoutes, getSimulatorPage, postSimulatorPage, ...callbackRoutes] as const

/** The console and the desk. They are for people, and no promise of the interface. */
export const consoleRoutes = [...doorRoutes, ...screenRoutes(screens)] as const
