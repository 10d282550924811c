import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { E164, PAYER, startWaveClient } from '../../../tests/harness/wave-client.ts'
import { machineMilliseconds } from '../../platform/clock.ts'

const client = await startWaveClient()
after(client.close)
beforeEach(client.reset)
const { twin, receiver, webhook_secret, call, payoutFor, make } = client

const macOf = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

test('webhooks are signed over the time and the bytes, with two secrets while one is replaced, or carry the secret', async () => {
  const payOnce = async () => {
    receiver.requests.length = 0
    await make({ restrict_payer_mobile: E164 })
    await twin.phone(PAYER).approve()
    await twin.advance(0)
    const { headers, body } = receiver.requests[0]!
    const [time, ...macs] = String(headers['wave-signature'] ?? '').split(',')
    const signed = (secret: string, separator = '') =>
      macs.includes(`v1=${macOf(secret, `${time!.slice(2)}${separator}${body}`)}`)
    return { signed, macs, authorization: headers.authorization }
  }
  const usual = await payOnce()
  assert.equal(usual.signed(webhook_secret), true)
  twin.act('wave', 'rotate-secret', { secret: 'another-secret', both: true })
  const both = await payOnce()
  assert.deepEqual([both.macs.length, both.signed(webhook_secret), both.signed('another-secret')], [2, true, true])
  twin.fault({ fault: 'callback_dotted', times: 1 })
  const dotted = await payOnce()
  assert.deepEqual([dotted.signed('another-secret'), dotted.signed('another-secret', '.')], [false, true])
  twin.fault({ fault: 'callback_wrong_signature', times: 1 })
  twin.change('wave', { previous_webhook_secret: '' })
  assert.equal((await payOnce()).signed('another-secret'), false)
  twin.change('wave', { webhook_mode: 'shared_secret' })
  assert.equal((await payOnce()).authorization, 'Bearer another-secret')
})

test('a webhook is repeated for three days with the same bytes, until it is answered 2xx', async () => {
  receiver.answer({ status: 500 })
  await make({ restrict_payer_mobile: E164 })
  await twin.phone(PAYER).approve()
  await twin.advance(2 * 86_400)
  receiver.answer({ status: 204 })
  await twin.advance(2 * 86_400)
  const bodies = receiver.requests.map(({ body }) => String(body))
  assert.equal(bodies.length, 10)
  assert.equal(new Set(bodies).size, 1)
  assert.equal(twin.callbacks()[0]!.state, 'delivered')
})

test('an account with request signing refuses what is not signed', async () => {
  twin.change('wave', { request_signing_secret: 'ours' })
  assert.equal((await call('GET', '/v1/balance')).status, 401)
  const time = String(Math.floor(machineMilliseconds() / 1000))
  const body = JSON.stringify(payoutFor())
  const signed = (text: string) => ({ 'Wave-Signature': `t=${time},v1=${macOf('ours', `${time}${text}`)}` })
  assert.equal((await call('GET', '/v1/balance', undefined, signed(''))).status, 200)
  const headers = { 'Idempotency-Key': 'k', ...signed(body) }
  assert.equal((await call('POST', '/v1/payout', body, headers)).status, 200)
  assert.equal((await call('POST', '/v1/payout', `${body} `, headers)).status, 401)
})
