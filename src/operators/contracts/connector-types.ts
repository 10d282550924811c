import { moovGateway } from '../moov-gateway/connector.ts'
import { mtnMomo } from '../mtn-momo/connector.ts'
import { orangeWebpay } from '../orange-webpay/connector.ts'
import { pawapay } from '../pawapay/connector.ts'
import { wave } from '../wave/connector.ts'
import type { ConnectorType } from './connector-type.ts'

/** The types of connector that this service knows. */
export const connectorTypes: readonly ConnectorType[] = [
  pawapay as unknown as ConnectorType,
  mtnMomo as unknown as ConnectorType,
  orangeWebpay as unknown as ConnectorType,
  moovGateway as unknown as ConnectorType,
  wave as unknown as ConnectorType,
]
