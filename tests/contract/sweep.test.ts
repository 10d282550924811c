import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { newKey } from '../../src/api-keys/key-format.ts'
import { apiRoutes } from '../../src/app/routes.ts'
import type { Scope } from '../../src/values/caller.ts'
import { type IdPrefix, newId } from '../../src/values/ids.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { revokeKey } from '../harness/keys.ts'
import type { Mode } from '../harness/merchant.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkHeaders, checkRefusal, codeOf } from './answers.ts'
import type { Answer, Asked } from './ask.ts'
import { checkDescribed } from './check-described.ts'
import { refusalsOf, routeNamed, routes } from './interface.ts'
import { inline, PATIENCE, payout } from './sender.ts'
import { goodRequest, missing, nameOf, newOwner, type Owner, type SweptRoute } from './sweep-owner.ts'

// Over the list of routes itself, so that a new one cannot be forgotten. Nothing works in the background here: whatever
// changes in the database was done by a request.

let installation: Installation
/** Two merchants, each in both modes, with one of everything. */
let owners: Owner[]
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']], env: { BATCH_WAIT_SECONDS: '0' } })
  const [one, other] = [await installation.newMerchant(), await installation.newMerchant()]
  owners = [
    await newOwner(installation, 'one in test mode', 'test', one),
    await newOwner(installation, 'one in live mode', 'live', one),
    await newOwner(installation, 'another in test mode', 'test', other),
    await newOwner(installation, 'another in live mode', 'live', other),
  ]
})
after(() => installation[Symbol.asyncDispose]())

const withIds = apiRoutes.filter(({ params }) => params.size > 0)

test('the sweep knows a good request for every route', async () => {
  const why = 'tests/contract/interface.ts has no body for a route, or sweep-owner.ts no id for a parameter'
  assert.deepEqual(missing(owners[0]!), [], why)
  assert.ok(withIds.length > 5 && withIds.length < apiRoutes.length)
  for (const { params, path } of withIds) assert.equal(params.size, 1, `${path}: one id in a path`)
})

/** An answer without its own request's ids and date. */
function withoutOwn(answer: Answer): string {
  return JSON.stringify([answer.status, headersOf(answer), answer.text])
}

/** The headers as they were sent, without the request's own ids, the date and the length of the body. */
function headersOf({ raw_headers }: Answer): string {
  const pairs = raw_headers.flatMap((name, at) => (at % 2 === 0 ? [[name, raw_headers[at + 1]]] : []))
  return JSON.stringify(
    pairs.filter(([name]) => !/^(?:service|legacy)-request-id$|^date$|^content-length$/i.test(name!)),
  )
}

/** Everything that is kept of merchants, but for the requests themselves. */
async function fingerprint(): Promise<string> {
  const { sql } = installation.db
  const tables = await sql<{ name: string }[]>`
    select c.relname::text as name
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname not in ('request_log', 'api_keys', 'api_key_lookup')
     order by c.relname`
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await sql<{ digest: string | null }[]>`
        select md5(string_agg(t::text, '|' order by t::text)) as digest from ${sql(name)} t`
      return `${name} ${row!.digest}`
    }),
  )
  return rows.join('\n')
}

/** The refusal of an id that is not there, where it is not 404 `resource_not_found` (interface, cancel). */
const otherRefusals: Record<string, [status: number, code: string]> = {
  'POST /v1-payout-batches/:batch_id/cancel': [409, 'batch_not_cancellable'],
}

test('an id of another merchant or of the other mode answers like one that never existed, and nothing is done', async () => {
  const before = await fingerprint()
  let asked = 0
  for (const route of withIds) {
    const name = nameOf(route)
    const [[parameter, prefixes]] = [...route.params] as [[string, readonly IdPrefix[] | null]]
    for (const asker of owners) {
      const [status, code] = otherRefusals[name] ?? [404, 'resource_not_found']
      const unknown = prefixes === null ? randomUUID() : newId(prefixes[0]!, 1)
      const expected = await installation.ask(goodRequest(route, asker, unknown))
      checkRefusal(expected, status, code, name)
      for (const owner of owners) {
        if (owner === asker) continue
        for (const id of owner.ids[parameter]!) {
          const answer = await installation.ask(goodRequest(route, asker, id))
          const why = `${name}: ${asker.why} asks for what belongs to ${owner.why}`
          assert.equal(withoutOwn(answer), withoutOwn(expected), why)
          checkHeaders(answer, why)
          asked += 1
        }
      }
    }
  }
  assert.ok(asked >= withIds.length * 12)
  assert.equal(await fingerprint(), before)
})

/** Fields that name a thing by its id, and the refusal of one that is not there. */
const namingFields: Record<
  string,
  { ids(owner: Owner): readonly string[]; ask(owner: Owner, id: string): Partial<Asked> }
> = {
  'POST /v1-payouts beneficiary_id': {
    ids: ({ ids }) => ids.beneficiary_id!,
    ask: (_, id) => ({ body: { amount: 100, beneficiary_id: id } }),
  },
  'POST /x/recipients/check beneficiary_id': {
    ids: ({ ids }) => ids.beneficiary_id!,
    ask: (_, id) => ({ body: { beneficiary_id: id } }),
  },
  'POST /v1-payout-batches lines': {
    ids: ({ ids }) => ids.beneficiary_id!,
    ask: (_, id) => ({ body: { lines: [payout(100), { amount: 100, beneficiary_id: id }] } }),
  },
  'POST /v1-settlements beneficiary': {
    ids: ({ ids }) => ids.beneficiary_id!,
    ask: (_, id) => ({ body: { amount: 5_000, beneficiary: id } }),
  },
  'GET /v1-beneficiaries starting_after': {
    ids: ({ ids }) => ids.beneficiary_id!,
    ask: (_, id) => ({ path: `/v1-beneficiaries?starting_after=${id}` }),
  },
  'GET /x/events subject_id': {
    ids: ({ ids }) => Object.values(ids).flat(),
    ask: (_, id) => ({ path: `/x/events?subject_id=${id}` }),
  },
}

/** Fields whose names look like it, and that name nothing. */
const namingNothing: Record<string, string> = {
  'POST /v1-payouts beneficiary': 'a destination written out',
  'POST /x/recipients/check beneficiary': 'a destination written out',
  'POST /v1-beneficiaries beneficiary': 'the fields of the new entry, wrapped',
  'GET /x/payments starting_after': 'a place in an order, as for events',
  'GET /x/payouts starting_after': 'a place in an order, as for events',
  'GET /x/batches starting_after': 'a place in an order, as for events',
  'GET /x/links starting_after': 'a place in an order, as for events',
  'GET /x/settlements starting_after': 'a place in an order, as for events',
  'GET /x/requests starting_after': 'a place in an order of the log',
  'GET /x/events starting_after': 'a place in an order, whether an event is there or not',
}

test('every field that can hold an id is in the table', () => {
  const found = apiRoutes.flatMap((route) =>
    Object.keys({ ...route.query?.properties, ...route.body?.properties })
      .filter((field) => /(?:^|_)id$|^beneficiary|^lines$|^starting_after$/.test(field))
      .map((field) => `${nameOf(route)} ${field}`),
  )
  assert.deepEqual(found.sort(), [...Object.keys(namingFields), ...Object.keys(namingNothing)].sort())
})

test('a field with an id of another merchant or of the other mode gets the same answer, and nothing is done', async () => {
  const before = await fingerprint()
  for (const [name, { ids, ask }] of Object.entries(namingFields)) {
    const route = apiRoutes.find((one) => name.startsWith(`${nameOf(one)} `))!
    for (const asker of owners) {
      const request = (id: string): Asked => ({ ...goodRequest(route, asker), ...ask(asker, id) })
      const expected = await installation.ask(request(randomUUID()))
      assert.ok(expected.status >= 400 || expected.text.includes('"data":[]'), `${name}: ${expected.text}`)
      for (const owner of owners) {
        if (owner === asker) continue
        for (const id of ids(owner)) {
          const answer = await installation.ask(request(id))
          assert.equal(withoutOwn(answer), withoutOwn(expected), `${name}: ${asker.why} names ${id} of ${owner.why}`)
        }
      }
    }
  }
  assert.equal(await fingerprint(), before)
})

const malformed = ['1', ':id', 'null', '..%2f', '%00', '%F0%9F%98%80', "1'--", '*', '%20', 'z'.repeat(300)]

test('a malformed id is answered with invalid_id, or as not found where the interface has no such code', async () => {
  for (const route of withIds) {
    const [prefixes] = [...route.params.values()]
    const promised = refusalsOf(routeNamed(nameOf(route))).map((refusal) => refusal.join(' '))
    const [status, code] = promised.includes('422 invalid_id') ? [422, 'invalid_id'] : [404, 'resource_not_found']
    const ofOthers = ['txn_', 'cs_1', 'TXN_1', `${prefixes?.[0]}_${'z'.repeat(65)}`, `${prefixes?.[0]}_a-b`]
    for (const id of [...malformed, ...ofOthers]) {
      const answer = await installation.ask(goodRequest(route, owners[0]!, id))
      checkRefusal(answer, status as number, code as string, `${nameOf(route)} ${id}`)
    }
  }
})

test('every route refuses every key that is not good with one and the same answer', async () => {
  const [owner] = owners
  const revoked = async (scope: Scope) => {
    const { key, key_id } = await owner!.merchant.newKey('test', scope)
    await revokeKey(installation.db.sql, key_id)
    return key
  }
  const elsewhere = async (scope: Scope) =>
    (await owner!.merchant.newKey('test', scope, ['203.0.113.0/24', '2001:db8::/32'])).key
  const changed = (key: string) => key.slice(0, 40) + (key[40] === '0' ? '1' : '0') + key.slice(41)
  const bad: Record<string, (scope: Scope) => Promise<string>> = {
    'a key nobody has': async () => newKey('bdm', false).key.reveal(),
    'a live key nobody has': async () => newKey('bdm', true).key.reveal(),
    'a key that ends too soon': async () => owner!.keys.payout.slice(0, -1),
    'a key that is no key': async () => 'bdm_sk_test_1234',
    'a key with a letter changed': async (scope) => changed(owner!.keys[scope]),
    'a key that is revoked': revoked,
    'a key for another address': elsewhere,
  }
  const refusals: Answer[] = []
  for (const route of apiRoutes) {
    const why = nameOf(route)
    const nobody = await installation.ask({ ...goodRequest(route, owner!), key: null })
    checkRefusal(nobody, 401, 'authentication_required', why)
    const { keys } = routeNamed(why)
    for (const [what, make] of Object.entries(bad)) {
      const key = await make(keys === 'any' ? 'payout' : keys)
      const answer = await installation.ask({ ...goodRequest(route, owner!), key })
      checkRefusal(answer, 401, 'invalid_api_key', `${why}: ${what}`)
      refusals.push(answer)
    }
    assert.equal(headersOf(nobody), headersOf(refusals[0]!), `${why}: the headers tell nothing`)
  }
  assert.equal(new Set(refusals.map(withoutOwn)).size, 1)
})

test('a key of the wrong scope is refused before any other check; routes without a scope take either', async () => {
  const before = await fingerprint()
  for (const owner of owners.slice(0, 2)) {
    for (const route of apiRoutes) {
      const { keys } = routeNamed(nameOf(route))
      for (const scope of ['collect', 'payout'] as const) {
        // The id is not there, so that no route does anything.
        const asked = { ...goodRequest(route, owner, 'unknown_1'), key: owner.keys[scope] }
        const why = `${nameOf(route)} with a key of ${scope}, ${owner.why}`
        if (keys !== 'any' && keys !== scope) {
          checkRefusal(await installation.ask({ ...asked, text: '{' }), 403, 'insufficient_scope', why)
        } else if (keys === 'any') {
          assert.notEqual(codeOf(await installation.ask(asked)), 'insufficient_scope', why)
        }
      }
    }
  }
  assert.equal(await fingerprint(), before)
})

test('a route promises insufficient_scope exactly if it does not take every key', () => {
  for (const route of routes) {
    const promised = refusalsOf(route).some(([, code]) => code === 'insufficient_scope')
    assert.equal(promised, route.keys !== 'any', nameOf(route))
  }
})

test('every address refuses every other method and names its own', async () => {
  const byPath = Map.groupBy(apiRoutes, ({ path }) => path)
  for (const [path, routes] of byPath) {
    const taken: string[] = routes.map(({ method }) => method)
    const { path: asked } = goodRequest(routes[0]!, owners[0]!)
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      if (taken.includes(method)) continue
      for (const key of [null, owners[0]!.keys.payout]) {
        const answer = await installation.ask({ method, path: asked, key })
        const why = `${method} ${path}`
        assert.equal(answer.status, 405, why)
        assert.equal(answer.headers.allow, taken.sort().join(', '), why)
        if (method === 'HEAD') checkHeaders(answer, why)
        else checkRefusal(answer, 405, 'method_not_allowed', why)
      }
    }
  }
})

test('a deactivated merchant can still read, and cannot do what the interface forbids it', async () => {
  for (const mode of ['test', 'live'] satisfies Mode[]) {
    const made = await newOwner(installation, 'deactivated', mode)
    const { merchant, tenant } = made
    await installation.db.sql`update merchants set active = false where merchant_id = ${tenant.merchant_id}`
    // Keys that no process knows yet: a process's knowledge of a merchant, or of a key, may be a second old.
    const key = async (scope: Scope) => (await merchant.newKey(mode, scope)).key
    const owner = { ...made, keys: { collect: await key('collect'), payout: await key('payout') } }
    const creates = apiRoutes.find((route) => nameOf(route) === 'POST /v1-payments')!
    await waitFor(
      async () => codeOf(await installation.ask(goodRequest(creates, owner))) === 'merchant_inactive',
      PATIENCE,
    )
    for (const route of apiRoutes) {
      const { refusals, added, successes } = routeNamed(nameOf(route))
      const forbidden = refusalsOf({ refusals, added }).some(([, code]) => code === 'merchant_inactive')
      const answer = await installation.ask(goodRequest(route, owner))
      if (forbidden) checkRefusal(answer, 403, 'merchant_inactive', nameOf(route))
      else assert.ok(successes.includes(answer.status), `${nameOf(route)}: ${answer.text}`)
    }
  }
})

test('the same requests with their own ids and keys succeed, so the refusals above prove something', async () => {
  const seen = new Set<string>()
  const check = async (route: SweptRoute, asked: Asked, id?: string) => {
    const answer = await installation.ask(asked)
    const why = `${nameOf(route)}: ${answer.status} ${answer.text}`
    assert.ok(routeNamed(nameOf(route)).successes.includes(answer.status), why)
    checkHeaders(answer, why)
    checkDescribed(route, answer, why)
    if (id !== undefined) assert.ok(answer.text.includes(`"id":"${id}"`), `${nameOf(route)} answers what was asked for`)
    seen.add(`${nameOf(route)} ${answer.status}`)
  }
  for (const owner of owners) {
    for (const route of apiRoutes) {
      await check(route, goodRequest(route, owner))
      for (const body of otherBodies[nameOf(route)]?.(owner) ?? []) {
        await check(route, { ...goodRequest(route, owner), body })
      }
      const [parameter] = route.method === 'GET' ? [...route.params.keys()] : []
      for (const id of parameter === undefined ? [] : owner.ids[parameter]!) {
        await check(route, goodRequest(route, owner, id), id)
      }
    }
  }
  const promised = routes.flatMap((route) => route.successes.map((status) => `${nameOf(route)} ${status}`))
  assert.deepEqual([...seen].sort(), promised.sort(), 'every status of a success was met')
})

const twice = inline()
/** Bodies that bring about the other successes of a route. */
const otherBodies: Record<string, (owner: Owner) => unknown[]> = {
  // Above the cap of one operation.
  'POST /v1-payouts': () => [payout(100_001)],
  // The second one is in the book already.
  'POST /v1-beneficiaries': () => [twice, twice],
}
