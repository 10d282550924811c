import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { openMember } from '../harness/teams.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

const lead = async (path: string, method = 'GET') => {
  const { status, headers } = await installation.ask({ path, method })
  return [status, headers.location]
}

test('an address of a page with a trailing slash redirects to the page, only for reads', async () => {
  const { merchant_id } = await installation.newMerchant()
  for (const path of ['/console', '/desk', `/console/test/${merchant_id}`, '/desk/live', '/desk/live/merchants']) {
    assert.deepEqual(await lead(`${path}/`), [308, path])
    assert.deepEqual(await lead(`${path}///?q=%C3%A9&lang=en`), [308, `${path}?q=%C3%A9&lang=en`])
  }
  assert.deepEqual(await lead(`/console/test/${merchant_id}/payments/`, 'HEAD'), [
    308,
    `/console/test/${merchant_id}/payments`,
  ])
  assert.equal((await lead(`/console/test/${merchant_id}/`, 'POST'))[0], 404)
  const awa = await openMember(installation, 'Awa Bamba', { staff: ['support'] })
  const { location } = await awa.get('/desk/live/merchants/')
  assert.equal((await awa.get(location!)).status, 200)
})

test('the redirect to the address without a slash has the headers of a page', async () => {
  const ofOneAnswer =
    /^(?:.*-request-id|date|content-(?:length|type|encoding)|set-cookie|transfer-encoding|location|.*connection|keep-alive)$/
  const headersOf = async (path: string) => {
    const { headers } = await installation.ask({ path })
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofOneAnswer.test(name)))
  }
  const page = await headersOf('/console/sign-in')
  assert.equal(page['cache-control'], 'no-store')
  assert.match(String(page['content-security-policy']), /^default-src 'none'/)
  for (const path of ['/console/sign-in/', '/console/', '/desk/live/merchants//', '/console/test/1/payments/'])
    assert.deepEqual(await headersOf(path), page, path)
})

test('no address redirects to another host', async () => {
  for (const path of [
    '//evil.example/',
    '//evil.example/console/',
    '/console//evil.example/',
    '/console/\\evil.example/',
    '/desk/%2f%2fevil.example/',
  ])
    assert.match(String((await lead(path))[1] ?? '/console/'), /^\/(?:console|desk)\/(?!\/)/, path)
})
