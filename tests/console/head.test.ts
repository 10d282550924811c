import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { screens } from '../../src/app/screens.ts'
import type { Screen } from '../../src/console/screen.ts'
import { newLink, newSession } from '../contract/payer.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { openMember } from '../harness/teams.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

/** Headers that differ from answer to answer. */
const ofOneAnswer = /^(?:.*-request-id|date|set-cookie|transfer-encoding|.*connection|keep-alive|ratelimit-.*)$/

test('HEAD answers as GET without a body, on every page and for health; the interface refuses it', async () => {
  const { merchant_id, key } = await installation.newMerchant()
  const { cookie } = await openMember(installation, 'Awa Bamba', { merchant_id, roles: ['owner'], staff: ['support'] })
  const session = await newSession(installation, key)
  const link = await newLink(installation, merchant_id, '--amount', '5000')
  const base = `/console/test/${merchant_id}`
  const headersOf = (headers: object) => Object.entries(headers).filter(([name]) => !ofOneAnswer.test(name))
  const paths = [
    ...['/', '/healthz', '/readyz', '/docs', '/docs/', '/docs/static/swagger-ui.css', '/openapi.json'],
    ...[session.path, link.path, `${link.path}/poster`, '/pay/none', '/link/none', '/return/none', '/verify'],
    ...['/console', '/console/sign-in', '/console/invitation/none', '/desk', '/desk/sign-in'],
    ...[base, `${base}/payments`, `${base}/statement`, `${base}/none`, '/desk/live', '/desk/live/merchants'],
  ]
  for (const path of paths) {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const headers = { Cookie: cookie, Accept: 'text/html', 'Accept-Encoding': encoding }
      const get = await installation.ask({ path, headers })
      const head = await installation.ask({ method: 'HEAD', path, headers })
      const why = `HEAD ${path} (${encoding}), GET answers ${get.status}`
      assert.equal(head.status, get.status, why)
      assert.equal(head.text, '', why)
      // A page has numbers and codes of its own, so that its compressed length can differ.
      const [one, other] = [get, head].map((answer) => new Map(headersOf(answer.headers)))
      const lengths = [one, other].map((all) => all!.delete('content-length'))
      assert.deepEqual([...other!], [...one!], why)
      assert.equal(lengths[0], lengths[1], why)
    }
  }
  for (const path of ['/v1-payments/txn_1', '/v1-beneficiaries', '/x/balances']) {
    const refused = await installation.ask({ method: 'HEAD', path, key })
    assert.equal(refused.status, 405, path)
    assert.ok(!String(refused.headers.allow).includes('HEAD'), path)
  }
  const post = await installation.ask({ method: 'POST', path: '/healthz' })
  assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD'])
})

test('HEAD of a file is refused, because taking it is an act, and leaves none', async () => {
  const { merchant_id } = await installation.newMerchant()
  const seats = { merchant_id, roles: ['owner', 'developer'], staff: ['compliance'] } as const
  const { cookie, email } = await openMember(installation, 'Awa Bamba', seats)
  const files = (screens as readonly Screen[]).filter(({ takes_file }) => takes_file)
  for (const path of ['/statement/:format', '/batches/drafts/:id/file', '/payments/export'])
    assert.ok(
      files.some((screen) => screen.path === path),
      path,
    )
  assert.ok((screens as readonly Screen[]).every(({ right, takes_file }) => right !== 'exports.take' || takes_file))
  for (const { path, door } of files) {
    const base = door === 'desk' ? '/desk/test' : `/console/test/${merchant_id}`
    const asked = `${base}${path.replace(':format', 'csv').replace(':id', 'pbd_1')}`
    const { status, headers } = await installation.ask({ method: 'HEAD', path: asked, headers: { Cookie: cookie } })
    assert.deepEqual([status, headers.allow], [405, 'GET'], path)
  }
  const acts = await installation.db.sql`select act from audit_log where actor = ${email} and act like '%.take'`
  assert.equal(acts.length, 0)
})

test('the documentation is compressed, and the same bytes when it is unpacked', async () => {
  const read = async (path: string, encoding: string) => {
    const answer = await fetch(`${installation.services[0]!.address}${path}`, {
      headers: { 'Accept-Encoding': encoding },
    })
    return { answer, text: await answer.text() }
  }
  for (const path of ['/docs/static/swagger-ui-bundle.js', '/docs/static/swagger-ui.css', '/openapi.json']) {
    const whole = await read(path, 'identity')
    assert.equal(whole.answer.headers.get('content-encoding'), null)
    for (const encoding of ['br', 'gzip']) {
      const { answer, text } = await read(path, encoding)
      assert.equal(text, whole.text, path)
      assert.match(String(answer.headers.get('vary')), /Accept-Encoding/i)
      assert.equal(answer.headers.get('content-encoding'), encoding, path)
      const [packed, plain] = [answer, whole.answer].map(({ headers }) => Number(headers.get('content-length')))
      assert.ok(packed! < plain! / 2, `${path}: ${packed} of ${plain} bytes`)
    }
  }
})
