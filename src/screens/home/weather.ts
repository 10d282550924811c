import type { DescribedOperator } from '../../operators/routing/describe-operators.ts'
import type { OperatorCode } from '../../values/operators.ts'
import { type Condition, conditionOf } from '../weather-panel.ts'

/** The weather for merchants: rates without the number of operations. */
export type OperatorWeather = {
  readonly code: OperatorCode
  readonly condition: Condition
  /** From 0 to 1. Null when there are too few operations. */
  readonly success_rate: number | null
  readonly median_seconds: number | null
}

/** Returns the weather of payments for each operator through which this merchant can collect. Pure. */
export function weatherOf(described: readonly Pick<DescribedOperator, 'code' | 'collection'>[]): OperatorWeather[] {
  return described.flatMap(({ code, collection: { unavailable_reason, weather } }) => {
    if (unavailable_reason === 'not_connected' || unavailable_reason === 'not_offered') return []
    const told = weather.last_15_minutes
    const { success_rate, median_seconds } = told
    const condition = unavailable_reason === 'operator_unavailable' ? 'down' : conditionOf({ ...told, operations: 0 })
    return [{ code, condition, success_rate, median_seconds }]
  })
}
