import type { TwinApi } from './api.ts'
import { moov } from './moov/moov.ts'
import { mtn } from './mtn/mtn.ts'
import { orange } from './orange/orange.ts'
import { pawapay } from './pawapay/pawapay.ts'
import { wave } from './wave/wave.ts'

/** Every API of the twin. */
export const apis: readonly TwinApi[] = [pawapay, mtn, orange, wave, moov]
