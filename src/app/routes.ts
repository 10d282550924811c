import { getBeneficiary, listBeneficiaries, postBeneficiary } from '../beneficiaries/routes.ts'
import { getPayment, postPayment } from '../payments/routes.ts'
import { cancelBatchRoute, executeBatchRoute, getBatch, postBatch } from '../payout-batches/routes.ts'
import { getPayout, postPayout } from '../payouts/routes.ts'

/** Every route of the public interface: what is not here does not answer. */
export const apiRoutes = [
  postPayment,
  getPayment,
  postPayout,
  getPayout,
  postBatch,
  getBatch,
  executeBatchRoute,
  cancelBatchRoute,
  listBeneficiaries,
  getBeneficiary,
  postBeneficiary,
] as const
