import { getPayment, postPayment } from '../payments/routes.ts'

/** Every route of the public interface: what is not here does not answer. */
export const apiRoutes = [postPayment, getPayment] as const
