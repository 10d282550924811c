import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { closeLink } from '../../src/checkout/close-link.ts'
import { closeSession } from '../../src/checkout/close-session.ts'
import { setActive } from '../../src/merchants/set-active.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { ErrorCode } from '../../src/words/error-codes.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal, isLimited } from './answers.ts'
import type { Asked } from './ask.ts'
import { type Installation, type Merchant, newAddress, newPayer, openInstallation } from './installation.ts'
import { addLink, json, newSession, open, openLink, sessionFor, submit } from './payer.ts'
import { PATIENCE } from './sender.ts'

// What every route has in common is swept over all of them. Here is what comes after the fields of a session, and the whole
// order of the page: of two faults the earlier one is said.

const clock = createClock()

let installation: Installation
before(async () => {
  const env = { PAGE_ATTEMPTS_PER_ADDRESS: '3', PAYER_ATTEMPTS_MAX: '1', COLLECTION_AMOUNT_MAX: '50000' }
  installation = await openInstallation({ env, processes: [['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

async function switchOff({ merchant_id, key }: Merchant): Promise<void> {
  await setActive(installation.db.sql, merchant_id, false)
  // Within a second it is known here.
  const refused = async () => (await installation.ask(sessionFor(key, { amount: 1 }))).status === 403
  await waitFor(refused, PATIENCE)
}

/** A fault of the request for a session, after its fields, in the order in which they are said. */
type SessionFault = {
  status: number
  code: ErrorCode
  put(merchant: Merchant, asked: Asked): Promise<unknown> | unknown
}

const sessionFaults: SessionFault[] = [
  {
    status: 422,
    code: 'idempotency_key_reused',
    async put({ key }, asked) {
      asked.idempotency_key = randomUUID()
      const first = { ...sessionFor(key, { amount: 7 }), idempotency_key: asked.idempotency_key }
      assert.equal((await installation.ask(first)).status, 201)
    },
  },
  { status: 403, code: 'merchant_inactive', put: switchOff },
  {
    status: 422,
    code: 'amount_above_limit',
    put: (_, asked) => Object.assign(asked.body as object, { amount: 50_001 }),
  },
]

for (const [at, earlier] of sessionFaults.entries()) {
  for (const later of sessionFaults.slice(at)) {
    test(`a session with ${earlier.code} and ${later.code}: ${earlier.code}`, async () => {
      const merchant = await installation.newMerchant()
      const asked = sessionFor(merchant.key, { amount: 100 })
      await earlier.put(merchant, asked)
      if (later !== earlier) await later.put(merchant, asked)
      checkRefusal(await installation.ask(asked), earlier.status, earlier.code)
    })
  }
}

/** A good form of a page that faults are put into. */
type Draft = {
  merchant: Merchant
  path: string
  /** Of what the page is: its session or its link. */
  id: string
  fields: Record<string, unknown>
  headers: Record<string, string>
  /** Done last. */
  finally: (() => Promise<unknown>)[]
}
type PageFault = { status: number; code: ErrorCode; put(draft: Draft): Promise<unknown> | unknown }

const early: PageFault[] = [
  {
    status: 404,
    code: 'resource_not_found',
    put: (draft) => {
      draft.path = `${draft.path.slice(0, -1)}!`
    },
  },
  {
    status: 400,
    code: 'invalid_request',
    put: (draft) => Object.assign(draft.headers, { 'Sec-Fetch-Site': 'cross-site' }),
  },
  {
    status: 429,
    code: 'rate_limit_exceeded',
    put: (draft) =>
      draft.finally.push(async () => {
        const { address: path, nonce } = await open(
          installation,
          (await newSession(installation, draft.merchant.key)).path,
        )
        // From the same address, with none of the other faults.
        const headers = { 'X-Forwarded-For': draft.headers['X-Forwarded-For']! }
        await waitFor(
          async () => isLimited(await submit(installation, path, { nonce, msisdn: 'x' }, { headers })),
          PATIENCE,
        )
      }),
  },
]
const payer: PageFault[] = [
  { status: 422, code: 'invalid_msisdn', put: ({ fields }) => Object.assign(fields, { msisdn: '12' }) },
  { status: 422, code: 'invalid_operator', put: ({ fields }) => Object.assign(fields, { operator: 'nobody_ci' }) },
]
const merchantOff: PageFault = {
  status: 403,
  code: 'merchant_inactive',
  put: (draft) => draft.finally.push(() => setActive(installation.db.sql, draft.merchant.merchant_id, false)),
}
const tooMany: PageFault = {
  status: 429,
  code: 'too_many_attempts',
  async put(draft) {
    const other = await newSession(installation, draft.merchant.key)
    const { nonce } = await open(installation, other.path)
    const headers = { 'X-Forwarded-For': newAddress() }
    const first = await submit(installation, other.path, { nonce, msisdn: draft.fields.msisdn }, { headers })
    assert.equal(first.status, 200, first.text)
  },
}
const closed: PageFault = {
  status: 409,
  code: 'session_closed',
  put: (draft) => draft.finally.push(() => closeSession({ sql: installation.db.sql, clock }, draft.id)),
}
const linkClosed: PageFault = {
  status: 409,
  code: 'lien_indisponible',
  put: (draft) => draft.finally.push(() => closeLink({ sql: installation.db.sql, clock }, draft.id)),
}
const amount = (code: ErrorCode, francs: unknown): PageFault => {
  return { status: 422, code, put: ({ fields }) => Object.assign(fields, { amount: francs }) }
}

const pages: Record<
  string,
  { faults: PageFault[]; draft(merchant: Merchant): Promise<Omit<Draft, 'headers' | 'finally'>> }
> = {
  session: {
    faults: [...early, ...payer, merchantOff, closed, tooMany],
    async draft(merchant) {
      const { path, id } = await newSession(installation, merchant.key)
      const { nonce } = await open(installation, path)
      return { merchant, path, id, fields: { nonce, msisdn: newPayer() } }
    },
  },
  link: {
    faults: [
      ...early,
      amount('invalid_amount', 'x'),
      ...payer,
      merchantOff,
      linkClosed,
      amount('amount_too_small', 499),
      amount('amount_too_large', 80_001),
      amount('amount_above_limit', 60_000),
      tooMany,
    ],
    async draft(merchant) {
      const asked = { kind: 'free', min_amount: 500, max_amount: 80_000 } as const
      const { path, link_id: id } = await addLink(installation, merchant.merchant_id, asked)
      const { nonce } = await openLink(installation, path)
      return { merchant, path, id, fields: { nonce, msisdn: newPayer(), amount: 700 } }
    },
  },
}

for (const [name, { faults, draft: newDraft }] of Object.entries(pages)) {
  test(`on the page of a ${name} the earlier of two faults is said`, async () => {
    for (const [at, earlier] of faults.entries()) {
      // Two amounts cannot be sent at once.
      const others = faults.slice(at + 1).filter((later) => !isAmount(earlier) || !isAmount(later))
      for (const later of [earlier, ...others]) {
        const merchant = await installation.newMerchant()
        const draft: Draft = {
          ...(await newDraft(merchant)),
          headers: { 'X-Forwarded-For': newAddress() },
          finally: [],
        }
        // The later one first, where it needs a number that is still good.
        if (later !== earlier) await later.put(draft)
        await earlier.put(draft)
        for (const act of draft.finally.toReversed()) await act()
        const answer = await installation.ask({
          method: 'POST',
          path: draft.path,
          headers: { ...json, ...draft.headers },
          body: draft.fields,
        })
        checkRefusal(answer, earlier.status, earlier.code, `${earlier.code} before ${later.code}`)
      }
    }
  })
}

function isAmount({ code }: PageFault): boolean {
  return code.includes('amount')
}
