import { getBeneficiary, listBeneficiaries, postBeneficiary } from '../beneficiaries/routes.ts'
import { postCheckout } from '../checkout/routes.ts'
import { getPayment, postPayment } from '../payments/routes.ts'
import { cancelBatchRoute, executeBatchRoute, getBatch, postBatch } from '../payout-batches/routes.ts'
import { getPayout, postPayout } from '../payouts/routes.ts'
import { getSettlement, listSettlements, postSettlement } from '../settlements/routes.ts'
import { getStatement } from '../statements/routes.ts'

/** Every route of the public interface: what is not here does not answer. */
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
] as const
