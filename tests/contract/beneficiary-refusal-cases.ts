import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { newId } from '../../src/values/ids.ts'
import type { Asked } from './ask.ts'
import { BOOK } from './book.ts'
import { doorCases, faultCase, type RefusalCase, type Stage } from './meet-refusals.ts'
import { inline, newSender, type Sender } from './sender.ts'

const POST = 'POST /v1-beneficiaries'
const LIST = 'GET /v1-beneficiaries'
const GET = 'GET /v1-beneficiaries/:beneficiary_id'

const add = ({ key }: Sender, body: unknown = inline()): Asked => ({ path: BOOK, key, body })
const list = ({ key }: Sender, query = ''): Asked => ({ path: `${BOOK}${query}`, key })
const get = ({ key }: Sender, id: string): Asked => ({ path: `${BOOK}/${encodeURIComponent(id)}`, key })

function adding(status: number, code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase {
  return { route: POST, why, status, code, prepare: ({ sender }) => ({ asked: { ...add(sender), ...change } }) }
}

/** An entry of another merchant's book. */
async function entryOf({ installation }: Stage, { key, tenant }: Sender): Promise<string> {
  await installation.ask({ path: BOOK, key, body: inline() })
  const [row] = await installation.db.sql<{ id: string }[]>`
    select id from beneficiaries where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
  return row!.id
}

const others: [why: string, entry: (stage: Stage) => Promise<string>][] = [
  ["another merchant's", async (stage) => entryOf(stage, await newSender(stage.installation))],
  [
    'of the other mode',
    async (stage) => {
      const { sender, installation } = stage
      return entryOf(stage, await newSender(installation, { of: sender.merchant, mode: 'live' }))
    },
  ],
]

const reads: RefusalCase[] = [
  ...[randomUUID(), newId('txn', 1), '1', 'x', `${randomUUID()}0`, '%00', "'--"].map(
    (id): RefusalCase => ({
      route: GET,
      why: id,
      status: 404,
      code: 'resource_not_found',
      prepare: ({ sender }) => ({ asked: get(sender, id) }),
    }),
  ),
  ...others.map(
    ([why, entry]): RefusalCase => ({
      route: GET,
      why,
      status: 404,
      code: 'resource_not_found',
      prepare: async (stage) => ({ asked: get(stage.sender, await entry(stage)) }),
    }),
  ),
  ...others.map(
    ([why, entry]): RefusalCase => ({
      route: LIST,
      why: `after an entry ${why}`,
      status: 400,
      code: 'invalid_request',
      prepare: async (stage) => ({ asked: list(stage.sender, `?starting_after=${await entry(stage)}`) }),
    }),
  ),
  ...['limit=', 'limit=0', 'limit=x', 'offset=-1', 'offset=x', 'active=', 'active=yes', 'starting_after=1'].map(
    (query): RefusalCase => ({
      route: LIST,
      why: `?${query}`,
      status: 400,
      code: 'invalid_request',
      prepare: ({ sender }) => ({ asked: list(sender, `?${query}`) }),
    }),
  ),
]

function fault(route: string, ask: (sender: Sender) => Asked): RefusalCase {
  const again = async ({ installation }: Stage, asked: Asked) => {
    await installation.ask(asked)
  }
  return faultCase(route, ['beneficiaries', 'label'], ({ sender }) => ask(sender), again, 'payment_failed')
}

/** Every refusal of the book. */
export const beneficiaryRefusals: readonly RefusalCase[] = [
  ...doorCases({
    [POST]: { ask: add, scoped: true },
    [LIST]: { ask: list, scoped: true },
    [GET]: { ask: (sender) => get(sender, randomUUID()), scoped: true },
  }),
  adding(400, 'invalid_request', 'no JSON', { text: '{"msisdn":' }),
  adding(400, 'invalid_request', 'a list', { body: [] }),
  adding(400, 'invalid_request', 'a form', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  ...[{}, { ...inline(), msisdn: '0800000000' }, { ...inline(), operator: undefined }, { ...inline(), name: 'A' }].map(
    (body) => adding(422, 'invalid_beneficiary', JSON.stringify(body), { body }),
  ),
  {
    route: POST,
    why: 'a merchant that may not operate',
    status: 403,
    code: 'merchant_inactive',
    async prepare({ installation, sender }) {
      await installation.bandama('merchant', 'deactivate', '--merchant', String(sender.tenant.merchant_id))
      return { asked: add(sender) }
    },
  },
  ...reads,
  fault(POST, add),
  fault(LIST, list),
  fault(GET, (sender) => get(sender, randomUUID())),
]
