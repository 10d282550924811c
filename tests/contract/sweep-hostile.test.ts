import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiRoutes } from '../../src/app/routes.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import fc from '../harness/property.ts'
import { seedOfFile } from '../harness/seed.ts'
import { logLines } from '../harness/start-service.ts'
import { checkHeaders, checkRefusal, codeOf } from './answers.ts'
import type { Answer, Asked } from './ask.ts'
import { hostileBodiesFor } from './hostile-bodies.ts'
import { refusalsOf, routeNamed } from './interface.ts'
import { goodRequest, missing, nameOf, newOwner, type Owner, type SweptRoute } from './sweep-owner.ts'

// Over the list of routes itself, so that a new one cannot be forgotten.

/** A failed run prints its seed; SEED repeats it, FUZZ_RUNS makes it longer. */
const seed = seedOfFile()
const size = Number(process.env.FUZZ_RUNS ?? 1)
/** Requests under way at once. */
const TOGETHER = 16

let installation: Installation
let owner: Owner
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']], env: { BATCH_WAIT_SECONDS: '0' } })
  owner = await newOwner(installation, 'somebody', 'test')
  assert.deepEqual(missing(owner), [])
})
after(() => installation[Symbol.asyncDispose]())

/** A success that the route has, or a refusal of its table in every respect. Never a fault. */
function checkAnswer(route: SweptRoute, answer: Answer, why: string, alsoElsewhere = false): void {
  const about = `seed ${seed}: ${nameOf(route)} ${why.slice(0, 300)}`
  assert.ok(answer.status < 500, `${about}: ${answer.status} ${answer.text}`)
  const promised = routeNamed(nameOf(route))
  if (promised.successes.includes(answer.status)) {
    checkHeaders(answer, about)
    return
  }
  const code = codeOf(answer)
  const listed = refusalsOf(promised).some(([status, listed]) => status === answer.status && listed === code)
  const elsewhere =
    alsoElsewhere && ['resource_not_found', 'method_not_allowed', 'invalid_request'].includes(String(code))
  assert.ok(listed || elsewhere, `${about}: ${answer.status} ${answer.text.slice(0, 200)}`)
  checkRefusal(answer, answer.status, code!, about)
}

/** Handles all of them, a few at a time. */
async function each<Item>(items: readonly Item[], handle: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      for (const item of queue) await handle(item)
    }),
  )
}

async function keptAnswers(): Promise<number> {
  const [row] = await installation.db.sql<{ kept: number }[]>`select count(*)::int as kept from idempotency_keys`
  return row!.kept
}

for (const route of apiRoutes.filter(({ method }) => method === 'POST')) {
  const bodies = route.body === undefined ? 40 : 750
  test(`${nameOf(route)}: ${bodies} hostile bodies`, async () => {
    const before = await keptAnswers()
    const good = (goodRequest(route, owner).body ?? { amount: 1 }) as Record<string, unknown>
    const fields = Object.keys({ ...good, ...route.body?.properties })
    const outcomes = new Map<string, number>()
    await each(fc.sample(hostileBodiesFor(good, fields), { seed, numRuns: bodies * size }), async ({ text, bytes }) => {
      const { body: _, ...asked } = goodRequest(route, owner)
      const answer = await installation.ask({ ...asked, text: bytes })
      checkAnswer(route, answer, text)
      const outcome = codeOf(answer) ?? 'done'
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    })
    if (route.body === undefined) return
    // Some were taken and some refused, or the bodies are not what they should be.
    const said = `seed ${seed}: ${JSON.stringify([...outcomes])}`
    const ofFields = refusalsOf(routeNamed(nameOf(route))).filter(([, one]) =>
      /^invalid_(?!id$|api_key$|request$)/.test(one),
    )
    assert.ok(outcomes.size >= Math.min(3, 1 + ofFields.length) && (outcomes.get('done') ?? 0) >= 1, said)
    if (route.idempotent === true) assert.equal((await keptAnswers()) - before, outcomes.get('done'), said)
  })
}

/** Texts that readers of queries, numbers, dates and SQL have stumbled over. */
const strangeTexts = [
  '',
  '%00',
  '%20',
  '%0d%0aSet-Cookie:a=b',
  '%F0%9F%98%80',
  '%ed%a0%80',
  '%zz',
  '%',
  "'--",
  "1'%20or%20'1'='1",
  '..%2f..%2fetc%2fpasswd',
  '-1',
  '0',
  '1',
  '1e3',
  '0x10',
  '+1',
  '1.0',
  'NaN',
  'Infinity',
  '9223372036854775808',
  '9'.repeat(400),
  'true',
  'null',
  'undefined',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  '2026-02-30',
  '2026-01-01',
  '0000-00-00',
  '99999-12-31',
  'txn_1',
  'evt_1',
  '00000000-0000-0000-0000-000000000000',
  'z'.repeat(5_000),
  '%2525',
  '$1',
  '*',
  'payment.*',
]
const strangeQueries = ['?', '??', '?&&&=', '?=', '?%', '?%zz=%00', '?__proto__[x]=1', '?a[]=1&a[]=2', '?constructor=1']
strangeQueries.push(`?${'a=1&'.repeat(1_500)}`, `?${'x'.repeat(9_000)}`, '?a;b', '#x', '?limit=1#')

for (const route of apiRoutes.filter(({ method }) => method === 'GET')) {
  test(`${nameOf(route)}: hostile queries`, async () => {
    const good = goodRequest(route, owner)
    const [path, goodQuery = ''] = good.path.split('?')
    const kept = new URLSearchParams(goodQuery)
    const names = [...Object.keys(route.query?.properties ?? {}), 'limit', 'offset', 'livemode', 'merchant_id']
    const replacing = (name: string, text: string) => {
      const others = [...kept].filter(([other]) => other !== name).map(([other, held]) => `${other}=${held}`)
      return `?${[...others, `${name}=${text}`].join('&')}`
    }
    const asked = [
      ...strangeQueries,
      ...names.flatMap((name) => strangeTexts.map((text) => replacing(name, text))),
      ...names.flatMap((name) => [
        `?${goodQuery}&${name}=1&${name}=2`,
        `?${goodQuery}&${name}[]=1`,
        `?${goodQuery}&${name}`,
      ]),
      ...fc.sample(
        fc.webQueryParameters().map((text) => `?${text}`),
        { seed, numRuns: 20 * size },
      ),
    ]
    await each(asked, async (query) => {
      const answer = await installation.ask({ ...good, path: `${path}${query}` })
      checkAnswer(route, answer, query)
      if (answer.status === 200)
        assert.ok(!answer.text.includes('"livemode":true'), `${query} does not cross to live mode`)
    })
  })
}

test('hostile ids in every path', async () => {
  for (const route of apiRoutes.filter(({ params }) => params.size > 0)) {
    const texts = [...strangeTexts, ...fc.sample(fc.webSegment(), { seed, numRuns: 20 * size })]
    await each(texts, async (text) => {
      const asked: Asked = goodRequest(route, owner, text)
      checkAnswer(route, await installation.ask(asked), text, true)
    })
  }
})

test('after the hostile requests the service works, has logged no fault, and its books are right', async () => {
  const health = await installation.ask({ path: '/readyz' })
  assert.equal(health.status, 200, health.text)
  const [route] = apiRoutes
  assert.equal((await installation.ask(goodRequest(route, owner))).status, 201)
  for (const line of logLines(installation.services[0]!.output())) {
    const { level } = JSON.parse(line) as { level: string }
    assert.ok(level !== 'error' && level !== 'fatal', line)
  }
  const audit = await installation.bandama('audit')
  assert.equal(audit.ok, true, JSON.stringify(audit))
})
