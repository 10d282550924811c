import assert from 'node:assert/strict'
import { test } from 'node:test'
import { englishOf } from '../../../tests/harness/in-both-languages.ts'
import { ID, json, mtn, openMtnContract, order } from '../../../tests/harness/mtn-contract.ts'

const noKey = {
  statusCode: 401,
  message: 'Access denied due to invalid subscription key. Make sure to provide a valid key.',
}

test('when MTN replaced one subscription key, the same request goes out with the other, which is then used first', async () => {
  const usually = mtn()
  let replaced = 'key-of-collection'
  await using contract = await openMtnContract(
    { 'collection.secondary_subscription_key': 'second-of-collection' },
    {
      script: (request) =>
        request.headers['ocp-apim-subscription-key'] === replaced ? json(noKey, 401) : usually(request),
    },
  )
  const keysUsed = async () => {
    contract.server.requests.length = 0
    assert.equal((await contract.connector.send(order)).kind, 'accepted')
    const sent = contract.calls(/requesttopay/)
    for (const { body, headers } of sent) {
      assert.deepEqual([String(body), headers['x-reference-id']], [String(sent[0]!.body), ID])
      assert.equal(headers.authorization, 'Bearer token-1')
    }
    return contract.server.requests.map(({ path, headers }) => [
      path.split('/').at(-1) || 'token',
      headers['ocp-apim-subscription-key'],
    ])
  }
  const first = [
    ['token', 'key-of-collection'],
    ['token', 'second-of-collection'],
    ['requesttopay', 'second-of-collection'],
  ]
  assert.deepEqual(await keysUsed(), first)
  assert.deepEqual(await keysUsed(), first.slice(2))
  replaced = 'second-of-collection'
  assert.deepEqual(await keysUsed(), [
    ['requesttopay', 'second-of-collection'],
    ['requesttopay', 'key-of-collection'],
  ])
  assert.equal((await contract.connector.read(order)).kind, 'pending')
})

test('when MTN refuses both keys of a pair, nothing was carried out, and the order is refused', async () => {
  await using contract = await openMtnContract(
    { 'collection.secondary_subscription_key': 'second-of-collection' },
    { script: () => json(noKey, 401) },
  )
  const outcome = await contract.connector.send(order)
  assert.equal(outcome.kind === 'refused' && outcome.failure_code, 'operator_configuration')
  assert.equal(contract.server.requests.length, 2)
})

test('a check names the key of a pair that MTN refuses while the other works', async () => {
  for (const [refused, name] of [
    ['key-of-collection', 'subscription_key'],
    ['second-of-collection', 'secondary_subscription_key'],
  ]) {
    const usually = mtn()
    await using contract = await openMtnContract(
      { 'collection.secondary_subscription_key': 'second-of-collection' },
      {
        script: (request) =>
          request.headers['ocp-apim-subscription-key'] === refused ? json(noKey, 401) : usually(request),
      },
    )
    const checked = await contract.connector.check!()
    assert.ok(checked.kind === 'fails')
    assert.match(englishOf(checked.problem), new RegExp(`not accept collection\\.${name}, and accepts the other`))
  }
})
