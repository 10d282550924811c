import type { Tenant } from '../../values/caller.ts'
import { type OperatorCode, operatorCodes, operatorNames } from '../../values/operators.ts'
import type { Bounds, Capabilities, Order } from '../port.ts'
import { type ToldWeather, tellWeather, type WeatherReport } from '../weather/follow-weather.ts'
import type { Registry } from './registry.ts'

/** A stop in force that can concern one merchant's payouts. */
export type PayoutStop = { scope: 'all' | 'operator' | 'merchant'; value: string }

/** The limits in force for one merchant in one mode, in francs. */
export type LimitsInForce = {
  collection_amount_max: number
  payout_cap_operation: number
  payout_cap_day: number
}

/** The reason for which an operation is not available; null while it is. */
export type Unavailable =
  | 'merchant_inactive'
  | 'not_connected'
  | 'not_offered'
  | 'payouts_stopped'
  | 'operator_unavailable'

/** An operator as one merchant can use it now, as far as this process knows. */
export type DescribedOperator = {
  code: OperatorCode
  name: string
  collection: {
    available: boolean
    unavailable_reason: Unavailable | null
    amount_max: number
    weather: ToldWeather
  }
  payout: {
    available: boolean
    unavailable_reason: Unavailable | null
    cap_operation: number
    cap_day: number
    weather: ToldWeather
  }
  /** Null when no connector serves the operator. */
  refund: Capabilities['refund'] | null
  /** The operator's own limits for one operation, where they are known. */
  operator_limits: { collection: Bounds | null; payout: Bounds | null } | null
}

/**
 * Describes what each operator can do for a merchant now. It depends on the operations that the connector offers, the
 * kill switch, the merchant's status, and whether a connector of the route is open, as far as this process knows. Of
 * several reasons, the first in the order of `Unavailable` is given. The weather is that of all merchants.
 */
export function describeOperators({
  tenant,
  merchant_active,
  registry,
  weather,
  stops,
  limits,
}: {
  tenant: Tenant
  merchant_active: boolean
  registry: Pick<Registry, 'connectorFor' | 'admits' | 'boundsFor'>
  weather: Pick<WeatherReport, 'at'>
  stops: readonly PayoutStop[]
  limits: LimitsInForce
}): DescribedOperator[] {
  return operatorCodes.map((code) => {
    const towards = (direction: Order['direction']) => ({ ...tenant, operator: code, direction })
    const weatherTowards = (direction: Order['direction']) =>
      tellWeather(weather.at({ livemode: tenant.livemode, operator: code, direction }))
    const closedTo = (direction: Order['direction']): Unavailable | null => {
      const connector = registry.connectorFor(towards(direction))
      return connector === null || registry.admits(connector, '') ? null : 'operator_unavailable'
    }
    const capabilitiesFor = (direction: Order['direction']) =>
      registry.connectorFor(towards(direction))?.capabilitiesOf(code) ?? null
    const missing = (offered: 'collect' | 'payout'): Unavailable | null => {
      if (!merchant_active) return 'merchant_inactive'
      const capabilities = capabilitiesFor(offered)
      if (capabilities === null) return 'not_connected'
      return capabilities[offered] ? null : 'not_offered'
    }
    const bounds = {
      collection: registry.boundsFor(towards('collect')),
      payout: registry.boundsFor(towards('payout')),
    }
    const collection = missing('collect') ?? closedTo('collect')
    const isStopped = stops.some((stop) => holds(stop, tenant, code))
    const payout = missing('payout') ?? (isStopped ? 'payouts_stopped' : closedTo('payout'))
    return {
      code,
      name: operatorNames[code],
      collection: {
        available: collection === null,
        unavailable_reason: collection,
        amount_max: limits.collection_amount_max,
        weather: weatherTowards('collect'),
      },
      payout: {
        available: payout === null,
        unavailable_reason: payout,
        cap_operation: limits.payout_cap_operation,
        cap_day: limits.payout_cap_day,
        weather: weatherTowards('payout'),
      },
      refund: capabilitiesFor('refund')?.refund ?? null,
      operator_limits: bounds.collection === null && bounds.payout === null ? null : bounds,
    }
  })
}

function holds({ scope, value }: PayoutStop, { merchant_id }: Tenant, code: OperatorCode): boolean {
  if (scope === 'all') return true
  return scope === 'operator' ? value === code : value === String(merchant_id)
}
