import { defineAct } from '../../acts/act.ts'
import { oneOf, text } from '../../acts/facts.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Secret } from '../../values/secret.ts'
import * as store from '../store.ts'
import { createSecretBox, type EndpointKey, newEndpointSecret } from './endpoint.ts'
import { endpoint, loadEndpoint } from './load-endpoint.ts'

const writeSecret = defineEffect<EndpointKey & { readonly sealed: Buffer }>('endpoint', async (tx, endpoints) => {
  for (const { sealed, ...one } of endpoints) await store.replaceSecret(tx, one, sealed)
})

/**
 * Gives an endpoint a new secret, which is returned only here. For 24 hours the old secret signs too, in a second header, so that the
 * merchant has time to change its receiver. A second rotation within that time drops the oldest secret.
 */
export const rotateSecret = defineAct({
  name: 'endpoint.rotate_secret',
  summary: 'Give an endpoint a new secret; for 24 hours a second header carries the signature with the old one',
  title: ['Changer le secret ?', 'Change the secret?'],
  right: 'webhooks.manage',
  fresh: true,
  on: endpoint,
  fields: {},
  async load(tx, call, { secretKey }: { readonly secretKey: Secret }) {
    const found = await loadEndpoint(tx, call)
    if (found === null) return null
    const secret = newEndpointSecret()
    return { ...found, secret, sealed: createSecretBox(secretKey).seal(found.key, secret) }
  },
  facts: {
    host: text(['Adresse', 'Address']),
    old_secret: oneOf(['L’ancien secret', 'The old secret'], {
      signs_a_day: ['signe encore 24 heures', 'signs for 24 hours more'],
    }),
  },
  // The rest of the URL may contain a secret of its owner.
  content: ({ url }) => ({ host: new URL(url).host, old_secret: 'signs_a_day' as const }),
  decide: ({ id }, { key, url, secret, sealed }) => ({
    kind: 'accepted',
    effects: [writeSecret({ ...key, sealed })],
    result: { endpoint_id: id, url, secret },
  }),
  refusals: {},
  unknown: 'There is no endpoint {endpoint}.',
})
