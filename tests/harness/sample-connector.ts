import Type from 'typebox'
import { createConnectorBox } from '../../src/operators/contracts/connector-settings.ts'
import { type ConnectorType, SettingsError } from '../../src/operators/contracts/connector-type.ts'
import type { Contract, ContractDirectory } from '../../src/operators/contracts/contract-directory.ts'
import type { Surroundings } from '../../src/operators/contracts/open-connector.ts'
import { EVERYBODY } from '../../src/operators/contracts/route-store.ts'
import type { OperatorHttp } from '../../src/operators/operator-api/operator-http.ts'
import { type Connector, promisesNothing } from '../../src/operators/port.ts'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import { Secret } from '../../src/values/secret.ts'

// A type of connector for tests. It reaches two operators, and its settings decide the operators' answers.

const settings = Type.Object(
  {
    base_url: Type.String(),
    api_token: Type.String({ minLength: 4 }),
    /** The secret with which the operator signs callbacks. Absent: it does not sign. */
    callback_secret: Type.Optional(Type.String()),
    retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
  },
  { additionalProperties: false },
)

export const sampleType: ConnectorType<typeof settings> = {
  type: 'sample',
  settings,
  labels: {
    base_url: ['Adresse de l’API', 'Address of the API'],
    api_token: ['Jeton d’accès', 'Access token'],
    callback_secret: ['Secret des appels', 'Secret of callbacks'],
    retries: ['Nouvelles tentatives', 'Further attempts'],
  },
  secrets: ['api_token', 'callback_secret'],
  addresses: ['base_url'],
  accounts: () => [],
  realMoneyWarning: ({ base_url }) =>
    base_url.includes('real')
      ? ['base_url bouge de l’argent réel, et le mode est celui de test.', 'base_url moves real money in test mode.']
      : null,
  create({ base_url, api_token, callback_secret }, { name, livemode, http, callback_url }) {
    if (livemode && base_url.includes('sandbox'))
      throw new SettingsError('base_url', [
        'base_url est celle du bac à sable, et le mode est réel.',
        'base_url is that of the sandbox, and the mode is live.',
      ])
    if (api_token === 'unusable')
      throw new SettingsError('api_token', [
        'api_token n’est pas de ceux que donne sample.',
        'api_token is none that sample gives.',
      ])
    const answer = { evidence: { callback_url } }
    return {
      name,
      callbacks: callback_secret === undefined ? 'unsigned' : 'signed',
      capabilitiesOf: (operator) =>
        operator === 'orange_ci' || operator === 'wave_ci'
          ? { collect: true, collect_without_number: false, payout: operator === 'orange_ci', refund: 'full' }
          : null,
      boundsOf: () => ({ min: 100, max: 500_000, step: 5 }),
      promises: { collect: promisesNothing, payout: promisesNothing, refund: promisesNothing },
      inquiryPlan: [1_000],
      silenceAfter: 60_000,
      async send() {
        const reply = await http.call({ method: 'POST', path: '/send', headers: { authorization: api_token } })
        return { kind: 'accepted', evidence: { ...answer.evidence, reply: reply.kind } }
      },
      read: async () => ({ kind: 'pending', ...answer }),
      readCallback(raw, headers) {
        if (callback_secret !== undefined && headers['x-secret'] !== callback_secret) return { kind: 'forged' }
        return { kind: 'about', reference: raw.toString(), evidence: {} }
      },
      async check() {
        const reply = await http.call({ method: 'GET', path: '/check', headers: { authorization: api_token } })
        if (reply.kind === 'answered' && reply.status === 200) return { kind: 'works' }
        return { kind: 'fails', problem: ['api_token est refusé.', 'api_token is refused.'] }
      },
    }
  },
}

/** Returns the dependencies of connectors in tests. `openHttp` reaches no server unless the test gives one. */
export function sampleSurroundings(openHttp: () => OperatorHttp = noWay): Surroundings {
  return {
    types: [sampleType as unknown as ConnectorType],
    http_allow: [],
    openHttp,
    box: createConnectorBox(new Secret('a secret key of thirty-two letters and more')),
    origin: () => 'https://pay.example.ci',
    now: () => new Date(machineMilliseconds()),
  }
}

function noWay(): OperatorHttp {
  return { call: async () => ({ kind: 'not_sent', reason: 'a test' }), close: async () => {} }
}

/** Returns settings of the sample kind, as a person writes them. */
export function sampleSettings(more: Record<string, unknown> = {}): Buffer {
  return Buffer.from(JSON.stringify({ base_url: 'https://api.example.com', api_token: 'token-one', ...more }))
}

/** Sets connectors with the name of the one operator that each reaches, with live routes for all merchants. */
export function directContracts(connectors: readonly Connector[]): ContractDirectory {
  return {
    contractNamed(name) {
      const connector = connectors.find((one) => one.name === name)
      if (connector === undefined) return null
      const readCallback: Contract['readCallback'] = async (raw, headers, about) =>
        connector.readCallback(raw, headers, about)
      return { connector, livemode: true, generation: 1, removed: false, callback_token: '', terms: {}, readCallback }
    },
    closedGenerationOf: () => null,
    walletOf: ({ connector }) => connector ?? 'simulator',
    routeOf({ merchant_id, livemode, operator, direction }) {
      if (merchant_id !== EVERYBODY || !livemode || !connectors.some(({ name }) => name === operator)) return null
      const key = { merchant_id, livemode, operator, direction }
      return {
        ...key,
        connectors: [operator],
        amount_min: null,
        amount_max: null,
        changed_by: '',
        changed_at: new Date(0),
      }
    },
  }
}
