import { test } from 'node:test'
import { assertMovesAsTable } from '../../../tests/harness/effects.ts'
import type { LockedEndpoint } from './load-endpoint.ts'
import { endpointTransitions } from './states.ts'
import { transitionEndpoint } from './switch-endpoint.ts'

const tenant = { merchant_id: 1, livemode: false }
const key = { ...tenant, endpoint_id: 'whe_1' }

test('in every state each trigger moves an endpoint as the table of transitions says, or changes nothing', () => {
  assertMovesAsTable(
    'endpoint',
    ['enabled', 'disabled'],
    endpointTransitions,
    (status): LockedEndpoint => ({ about: tenant, key, url: 'https://shop.ci/hook', status }),
    transitionEndpoint,
  )
})
