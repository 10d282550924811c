import { defineAct, merchant, refuse } from '../../acts/act.ts'
import { type Field, lineField, merchantFact, text } from '../../acts/facts.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { RefusedTarget, VettedTarget } from '../../platform/egress/guard.ts'
import { newId } from '../../values/ids.ts'
import type { Secret } from '../../values/secret.ts'
import { emitEvent } from '../emit.ts'
import { type EventType, isEventType } from '../event-types.ts'
import * as store from '../store.ts'
import { createSecretBox, ENDPOINTS_MAX, newEndpointSecret } from './endpoint.ts'
import { testEvent } from './test-endpoint.ts'

export type CreateEndpointDeps = {
  readonly secretKey: Secret
  /** The typed URL as the egress guard judges it, which queries name servers: outside the transaction, and again at every attempt. */
  readonly target?: VettedTarget | RefusedTarget
  /** Whether an `endpoint.test` is sent at once; absent: yes. */
  readonly test?: boolean
}

/** The secret is shown once; the database has it sealed. */
export type EndpointCreated = { readonly endpoint_id: string; readonly secret: Secret; readonly url: string }

const types: Field<readonly EventType[]> = {
  name: ['Reçoit', 'Receives'],
  write: (chosen) => (chosen.length === 0 ? ['tout', 'everything'] : [chosen.join(', '), chosen.join(', ')]),
  read(typed) {
    const words = typed.split(/[\s,]+/).filter((word) => word !== '')
    return words.every(isEventType) ? [...new Set(words)] : undefined
  },
  form: {
    label: ['Événements (aucun coché : tous)', 'Events (none ticked: all)'],
    kind: 'choice',
    fault: ['Un de ces événements n’existe pas.', 'One of these events does not exist.'],
  },
  option: { name: 'event', must: 'must be a type of event, such as payment.succeeded.', absent: [] },
}

const fields = {
  url: lineField(text(['Vers', 'To']), {
    label: ['Adresse de votre serveur', 'URL of your server'],
    longest: 2_048,
    fault: ['Écrivez l’adresse de votre serveur.', 'Write the URL of your server.'],
    option: { value: 'URL', says: 'where events are sent', sample: 'https://shop.example/webhooks' },
  }),
  types,
} as const

const insert = defineEffect<store.EndpointRow>('new row', async (tx, endpoints) => {
  for (const endpoint of endpoints) await store.insertEndpoint(tx, endpoint)
})

/**
 * Registers an endpoint with its `endpoint.test`. The secret is returned only here, and stored sealed. An address that the egress guard refuses
 * is refused with one sentence for every reason, so that a merchant does not learn which names exist in our network.
 */
export const createEndpoint = defineAct({
  name: 'endpoint.create',
  summary: "Create an endpoint for a merchant's events, and send it a test; the secret is shown once",
  title: ['Ajouter une adresse', 'Add an endpoint'],
  right: 'webhooks.manage',
  fresh: true,
  on: merchant,
  fields,
  load: async (tx, { tenant }, { secretKey, target, test = true }: CreateEndpointDeps) => ({
    about: tenant,
    secretKey,
    test,
    url: target?.kind === 'vetted' ? target.url : null,
    endpoints: await store.countEndpoints(tx, tenant),
  }),
  facts: { merchant: merchantFact, host: text(['Vers', 'To']), types },
  // The rest of the URL may contain a secret of its owner.
  content: ({ url }, { types: chosen }) => ({ host: url?.host ?? null, types: chosen }),
  decide({ tenant, values }, { url, endpoints, secretKey, test }, now) {
    if (url === null) return refuse('invalid_url')
    if (endpoints >= ENDPOINTS_MAX) return refuse('too_many_endpoints')
    const { merchant_id, livemode } = tenant
    const endpoint_id = newId('whe', now.getTime())
    const key = { merchant_id, livemode, endpoint_id }
    const secret = newEndpointSecret()
    const secret_sealed = createSecretBox(secretKey).seal(key, secret)
    const row = { ...key, url: url.href, event_types: [...values.types], secret_sealed }
    return {
      kind: 'accepted',
      effects: [insert(row), ...(test ? [emitEvent(testEvent(tenant, endpoint_id, row))] : [])],
      result: { endpoint_id, secret, url: values.url } satisfies EndpointCreated,
      subject: endpoint_id,
      after: { origin: url.origin, event_types: row.event_types },
    }
  },
  unknown: 'There is no such merchant.',
  refusals: {
    invalid_url: {
      words: [
        'Cette adresse ne convient pas : il faut une adresse https publique.',
        'This URL cannot be used: it must be a public https URL.',
      ],
      command: 'Webhooks do not go to this address: a public https address is expected (see EGRESS_ALLOW).',
      at: 'url',
    },
    too_many_endpoints: {
      words: ['Vous avez déjà seize adresses. Arrêtez-en une.', 'You have sixteen endpoints already. Stop one.'],
      command: 'This merchant has the largest number of endpoints already.',
      at: 'url',
    },
  },
})
