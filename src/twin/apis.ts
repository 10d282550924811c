import type { TwinApi } from './api.ts'
import { pawapay } from './pawapay/pawapay.ts'

/** Every API that the twin speaks. */
export const apis: readonly TwinApi[] = [pawapay]
