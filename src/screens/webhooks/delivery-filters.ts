import type { ScreenRequest } from '../../console/screen.ts'
import { looksLikeId } from '../../values/ids.ts'
import { isDay, momentsOf } from '../../values/period.ts'
import { type DeliveryFilters, type DeliveryState, deliveryStates } from '../../webhooks/delivery-list-store.ts'
import { type EventType, eventTypes, isEventType } from '../../webhooks/event-types.ts'

/** The filters of the list of deliveries in its address. Empty: any. An invalid value counts as absent, and `unreadFilters` names it. */
export type ChosenDeliveries = {
  readonly endpoint: string
  readonly state: DeliveryState | ''
  readonly type: EventType | ''
  readonly from: string
  readonly to: string
}

/** The query fields of the filters. */
export const deliveryFilterNames: readonly (keyof ChosenDeliveries)[] = ['endpoint', 'state', 'type', 'from', 'to']

/** Reads the filters of an address. */
export function chosenDeliveries({ query }: Pick<ScreenRequest<'console'>, 'query'>): ChosenDeliveries {
  const text = (name: string) => (query.get(name) ?? '').trim()
  const day = (name: string) => (isDay(text(name)) ? text(name) : '')
  const type = text('type')
  return {
    endpoint: looksLikeId('whe', text('endpoint')) ? text('endpoint') : '',
    state: deliveryStates.find((one) => one === text('state')) ?? '',
    type: isEventType(type) ? type : '',
    from: day('from'),
    to: day('to'),
  }
}

/** Converts the filters to those of the list. */
export function deliveryFilters({ endpoint, state, type, ...days }: ChosenDeliveries): DeliveryFilters {
  return {
    types: type === '' ? eventTypes : [type],
    endpoint_id: endpoint === '' ? null : endpoint,
    state: state === '' ? null : state,
    ...momentsOf(days),
  }
}
