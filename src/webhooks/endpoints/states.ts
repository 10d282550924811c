import type { Transition } from '../../values/transition.ts'

export type EndpointStatus = 'enabled' | 'disabled'

/**
 * Every transition of an endpoint. People move one through `switch-endpoint.ts`. The last row belongs to the statement that records attempts
 * (`delivery/attempt-store.ts`): it disables, among the endpoints of a whole group of attempts, the enabled ones without a success for five
 * days.
 */
export const endpointTransitions = [
  { from: 'disabled', trigger: 'enabled_by_person', to: 'enabled', event: null },
  { from: 'enabled', trigger: 'disabled_by_person', to: 'disabled', event: null },
  { from: 'enabled', trigger: 'failed_for_days', to: 'disabled', event: null },
] as const satisfies readonly Transition<EndpointStatus>[]
