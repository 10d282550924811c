import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { startMtnClient } from '../../../tests/harness/mtn-client.ts'

const client = await startMtnClient()
after(client.close)
beforeEach(client.reset)
const { twin, tokens, settings, http, basic, call, order } = client

test('a product takes its own subscription key, its own users and its own tokens, while they are good', async () => {
  const both = { ...basic('disbursement'), ...basic('collection') }
  const mixed = { ...both, 'Ocp-Apim-Subscription-Key': settings()['disbursement.subscription_key']! }
  const foreign = await http('POST', '/disbursement/token/', mixed, '')
  assert.deepEqual([foreign.status, foreign.body.code], [500, 'NOT_ALLOWED_TARGET_ENVIRONMENT'])
  const key = await http('POST', '/disbursement/token/', basic('collection'), '')
  assert.deepEqual([key.status, key.body.statusCode], [401, 401])
  const user = await http('POST', '/collection/token/', { ...basic('collection'), Authorization: 'Basic eDp5' }, '')
  assert.equal(user.status, 401)
  assert.equal((await http('POST', '/collection/token', basic('collection'), '')).status, 401, 'the final slash counts')
  const token = await http('POST', '/collection/token/', basic('collection'), '')
  assert.deepEqual([token.body.token_type, token.body.expires_in], ['access_token', 3600])
  tokens.set('collection', token.body.access_token)
  assert.equal((await call('GET', 'collection', '/v1_0/account/balance')).status, 200)
  await twin.advance(3_600)
  assert.equal((await call('GET', 'collection', '/v1_0/account/balance')).status, 401)
})

test('either key of a product’s pair admits a call, and one that was rotated does not', async () => {
  const usual = basic('collection')
  const status = async (key?: string) => {
    const { Authorization } = usual
    const headers = key === undefined ? { Authorization } : { Authorization, 'Ocp-Apim-Subscription-Key': key }
    return (await http('POST', '/collection/token/', headers, '')).status
  }
  const [primary, secondary] = ['subscription_key', 'secondary_subscription_key'].map(
    (name) => settings()[`collection.${name}`]!,
  )
  assert.deepEqual([await status(primary), await status(secondary), await status()], [200, 200, 401])
  const { collection } = twin.act('mtn', 'rotate-keys') as { collection: string }
  assert.deepEqual([await status(primary), await status(secondary), await status(collection)], [401, 200, 200])
  assert.equal(settings()['collection.subscription_key'], collection)
  twin.act('mtn', 'rotate-keys', { secondary: true })
  assert.deepEqual([await status(secondary), await status(collection)], [401, 200])
})

test('the call for a token takes an empty body or JSON, and a form meets the firewall', async () => {
  const json = { ...basic('collection'), 'Content-Type': 'application/json' }
  const of = (headers: Record<string, string>, body: string) => http('POST', '/collection/token/', headers, body)
  const GRANT = '{"grant_type":"client_credentials"}'
  assert.equal((await of(json, GRANT)).status, 200)
  const form = { ...basic('collection'), 'Content-Type': 'application/x-www-form-urlencoded' }
  const rejected = await of(form, 'grant_type=client_credentials')
  assert.equal(rejected.status, 200)
  assert.match(rejected.text, /Request Rejected/)
  twin.change('mtn', { token_body: 'json' })
  assert.equal((await of(json, '')).status, 411)
  twin.change('mtn', { token_body: 'empty' })
  assert.equal((await of(json, GRANT)).status, 400)
})

test('in the sandbox users are made, each with one host for callbacks, and amounts are in EUR', async () => {
  twin.change('mtn', { target_environment: 'sandbox' })
  const id = randomUUID()
  const key = { 'Ocp-Apim-Subscription-Key': settings()['collection.subscription_key']! }
  const make = (host: string, reference = id) =>
    http('POST', '/v1_0/apiuser', { ...key, 'X-Reference-Id': reference }, { providerCallbackHost: host })
  for (const host of ['https://pay.example.ci', 'pay.example.ci/callbacks', '10.0.0.1', ''])
    assert.equal((await make(host)).status, 400, host)
  assert.equal((await make('pay.example.ci')).status, 201)
  assert.equal((await make('pay.example.ci')).status, 409)
  const { apiKey } = (await http('POST', `/v1_0/apiuser/${id}/apikey`, key)).body
  assert.deepEqual((await http('GET', `/v1_0/apiuser/${id}`, key)).body, {
    providerCallbackHost: 'pay.example.ci',
    targetEnvironment: 'sandbox',
  })
  const mine = { ...settings(), 'collection.api_user': id, 'collection.api_key': apiKey as string }
  const token = await http('POST', '/collection/token/', basic('collection', mine), '')
  tokens.set('collection', token.body.access_token)
  const elsewhere = await order('requesttopay')
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [500, 'INVALID_CALLBACK_URL_HOST'])
  const headers = { 'X-Callback-Url': 'https://pay.example.ci/operators/mtn/callbacks/x' }
  assert.equal((await order('requesttopay', {}, headers)).status, 202)
  assert.equal((await order('requesttopay', { currency: 'XOF' }, headers)).body.code, 'INVALID_CURRENCY')
  assert.equal((await order('requesttopay', {}, { ...headers, 'X-Reference-Id': id })).status, 409, 'the user itself')
})
