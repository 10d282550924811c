import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

type Logged = { id: string; method: string; path: string; status: number; error_code: string | null }
type Page = { data: Logged[]; has_more: boolean; next: string | null }

async function list(key: string, query = ''): Promise<Page> {
  const answer = await installation.ask({ path: `/x/requests${query}`, key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json() as Page
}

test('a merchant reads its requests with code and id, page by page, and nothing of another or of a body', async () => {
  const merchant = await installation.newMerchant()
  const { key } = merchant
  const payer = newPayer()
  const amounts = [-1, -2, -3]
  const ids: unknown[] = []
  for (const amount of amounts) {
    const { headers } = await installation.pay(key, { amount, counterparty: { msisdn: payer } })
    ids.unshift(headers['service-request-id'])
  }
  const all = await waitFor(async () => {
    const page = await list(key, '?status=4xx&limit=100')
    return page.data.length === amounts.length && page
  })
  assert.deepEqual(new Set(all.data.map(({ id }) => id)), new Set(ids))
  for (const { method, path, status, error_code } of all.data)
    assert.deepEqual([method, path, status, error_code], ['POST', '/v1-payments', 422, 'invalid_amount'])
  assert.ok(!JSON.stringify(all).includes(payer.slice(-8)))
  const paged: string[] = []
  for (let query = '?status=4xx&limit=2', pages = 0; pages < 5; pages += 1) {
    const page = await list(key, query)
    paged.push(...page.data.map(({ id }) => id))
    assert.equal(page.has_more, page.next !== null)
    if (page.next === null) break
    query = `?status=4xx&limit=2&starting_after=${page.next}`
  }
  assert.deepEqual(
    paged,
    all.data.map(({ id }) => id),
  )
  const { key: other } = await merchant.newKey(otherMode, 'collect')
  for (const stranger of [other, (await installation.newMerchant()).key])
    assert.deepEqual((await list(stranger, '?status=4xx')).data, [])
})
