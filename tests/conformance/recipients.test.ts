import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperatorHttp } from '../../src/operators/operator-api/operator-http.ts'
import type { Connector, NameMatch } from '../../src/operators/port.ts'
import { Msisdn } from '../../src/values/msisdn.ts'
import { type ReceivedRequest, type ScriptedAnswer, startReceiver } from '../harness/receiver.ts'
import { type ContractUnderTest, NUMBER, openContract } from './contract.ts'
import { contracts } from './contracts.ts'

// The check of a number's holder, on every contract: its result is one word, and `unknown` unless the operator gave it.

const msisdn = Msisdn.parse(NUMBER)!

for (const contract of contracts) {
  const { type } = contract.type

  test(`${type}: the given name is compared with the holder’s, or the operator is not asked`, async () => {
    await using open = await openContract(contract)
    if (contract.recipients === undefined) return assert.equal(open.connector.checkRecipient, undefined)
    const operator = contract.operators.payout[0]!
    const check = (name: string) => open.connector.checkRecipient!({ operator, msisdn, name })
    const { holder } = open.twin.phone(NUMBER).now()
    const [first, last] = holder.split(' ') as [string, string]
    const near = contract.recipients === 'nearness' ? 'close' : 'no_match'
    const cases: [name: string, result: NameMatch][] = [
      [holder, 'match'],
      [`${last.toUpperCase()} ${first}`, 'match'],
      [`${first[0]}. ${last}`, near],
      ['Zoumana Zadi', 'no_match'],
    ]
    for (const [name, result] of cases) assert.equal(await check(name), result, name)
    assert.deepEqual(open.twin.journal(), [], 'nothing moves')
    const elsewhere = { operator: 'moov_ci', msisdn, name: holder }
    assert.equal(await open.connector.checkRecipient!(elsewhere), 'unknown')
  })

  if (contract.recipients === undefined) continue

  test(`${type}: an unrecognised answer to a check of a name is unknown, and no exception`, async () => {
    const json = (status: number, body: unknown): ScriptedAnswer => {
      return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    }
    const answers: [why: string, answer: ScriptedAnswer][] = [
      ...[400, 401, 403, 404, 409, 429, 500, 503].map((status): [string, ScriptedAnswer] => [
        String(status),
        json(status, { name_match: 'MATCH', given_name: 'Awa', family_name: 'Koné' }),
      ]),
      ['a page', { status: 200, body: '<html>MATCH Awa Koné</html>' }],
      ['an empty answer', { status: 200 }],
      ['no object', json(200, ['MATCH', 'Awa Koné'])],
      ['other types', json(200, { name_match: ['MATCH'], given_name: { value: 'Awa' }, family_name: 5 })],
      ['empty words', json(200, { name_match: '', given_name: ' ', family_name: '' })],
      ['another case', json(200, { name_match: 'match' })],
      ['a word of next year', json(200, { name_match: 'PARTIAL_MATCH' })],
      ['no answer', { fault: 'drop' }],
      ['silence', { fault: 'hang' }],
      ['a word of JavaScript', json(200, { name_match: 'constructor' })],
      ['hidden names', json(200, { name_match: 'NAME_NOT_KNOWN', given_name: 'A***', family_name: 'K***' })],
    ]
    let answer: ScriptedAnswer = {}
    await using server = await startReceiver(({ path }: ReceivedRequest) =>
      path.endsWith('/token/') ? json(200, { access_token: 'token', expires_in: 3600 }) : answer,
    )
    await using open = await openContract(contract)
    const { connector, close } = connectorAt(contract, open.twin.connectors()[contract.api]!.settings, server.url)
    const operator = contract.operators.payout[0]!
    for (const [why, scripted] of answers) {
      answer = scripted
      assert.equal(await connector.checkRecipient!({ operator, msisdn, name: 'Awa Koné' }), 'unknown', why)
    }
    await close()
    assert.equal(await connector.checkRecipient!({ operator, msisdn, name: 'Awa Koné' }), 'unknown', 'not sent')
  })
}

test('mtn_momo: a partial name of the holder is compared as far as it goes, and no name is unknown', async () => {
  await using open = await openContract(contracts.find(({ api }) => api === 'mtn')!)
  const { holder } = open.twin.phone(NUMBER).now()
  const check = () => open.connector.checkRecipient!({ operator: 'mtn_ci', msisdn, name: holder })
  for (const names_told of ['given_name', 'family_name', 'none'] as const) {
    open.twin.change('mtn', { names_told })
    assert.equal(await check(), names_told === 'none' ? 'unknown' : 'close', names_told)
  }
  const keys = ['subscription_key', 'secondary_subscription_key', 'api_user', 'api_key']
  const without = open.withSettings(Object.fromEntries(keys.map((key) => [`disbursement.${key}`, undefined])))
  assert.equal(await without.checkRecipient!({ operator: 'mtn_ci', msisdn, name: holder }), 'unknown')
})

test('wave: a number checked too often is unknown, and so is any number for a key that may not pay out', async () => {
  await using open = await openContract(contracts.find(({ api }) => api === 'wave')!)
  const { holder: name } = open.twin.phone(NUMBER).now()
  const check = () => open.connector.checkRecipient!({ operator: 'wave_ci', msisdn, name })
  for (let time = 0; time < 30; time += 1) assert.equal(await check(), 'match')
  assert.equal(await check(), 'unknown')
  const without = open.withSettings({ payouts: false })
  assert.equal(await without.checkRecipient!({ operator: 'wave_ci', msisdn, name }), 'unknown')
})

function connectorAt(
  contract: ContractUnderTest,
  settings: Readonly<Record<string, string>>,
  base_url: string,
): { connector: Connector; close(): Promise<void> } {
  const http = createOperatorHttp({ base_url })
  const connector = contract.type.create({ ...settings, ...contract.settings, base_url } as never, {
    name: 'main',
    livemode: true,
    http: { ...http, call: (request) => http.call({ ...request, deadline_ms: 700 }) },
    callback_url: `${base_url}/c`,
    return_url: base_url,
    now: () => new Date(0),
  })
  return { connector, close: http.close }
}
