import type { ContractUnderTest } from './contract.ts'
import { moovGatewayContract } from './moov-gateway.ts'
import { mtnMomoContract } from './mtn-momo.ts'
import { orangeWebpayContract } from './orange-webpay.ts'
import { pawapayContract } from './pawapay.ts'
import { waveContract } from './wave.ts'

/** Every type of connector. The suite runs all its cases on each of them. */
export const contracts: readonly ContractUnderTest[] = [
  pawapayContract,
  mtnMomoContract,
  orangeWebpayContract,
  moovGatewayContract,
  waveContract,
]
