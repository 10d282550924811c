import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '../../src/values/error-codes.ts'
import { newId } from '../../src/values/ids.ts'
import { archiveBeneficiary } from '../harness/destinations.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Asked } from './ask.ts'
import { doorCases, faultCase, holdFirst, type RefusalCase, type Stage } from './meet-refusals.ts'
import { checkBatch } from './payout-answers.ts'
import { BATCHES, inline, newSender, PATIENCE, payout, post, type Sender, sendWhole } from './sender.ts'

const POST = 'POST /v1-payout-batches'
const GET = 'GET /v1-payout-batches/:batch_id'
const EXECUTE = 'POST /v1-payout-batches/:batch_id/execute'
const CANCEL = 'POST /v1-payout-batches/:batch_id/cancel'

const good = ({ key }: Sender, body: unknown = { lines: [payout(100)] }): Asked => post(BATCHES, key, body)

/** Returns a valid request for one line of 100 francs, with changes. */
function send(status: number, code: ErrorCode, why: string, change: Partial<Asked>): RefusalCase {
  return { route: POST, why, status, code, prepare: ({ sender }) => ({ asked: { ...good(sender), ...change } }) }
}

function bodies(status: number, code: ErrorCode, ...sent: unknown[]): RefusalCase[] {
  return sent.map((body) => send(status, code, JSON.stringify(body)?.slice(0, 120) ?? 'nothing', { body }))
}

/** Returns a batch with this line as the second of three. */
const withLine = (line: unknown) => ({ lines: [payout(100), line, payout(100)] })
const lines = (status: number, code: ErrorCode, ...wrong: unknown[]) => bodies(status, code, ...wrong.map(withLine))

const person = { msisdn: '0700000000', operator: 'orange_ci', name: 'Awa' }

const requests: RefusalCase[] = [
  ...[undefined, 'seven77'].map((key) =>
    send(400, 'idempotency_key_required', String(key), { headers: { 'Idempotency-Key': key } }),
  ),
  send(400, 'invalid_body', 'no JSON', { text: '{"lines":[' }),
  send(400, 'invalid_body', 'a key twice in a line', { text: '{"lines":[{"amount":100,"amount":100}]}' }),
  ...bodies(400, 'invalid_body', [], 'x', { ...withLine(payout(1)), reference: 5 }),
  ...bodies(400, 'invalid_body', { lines: [], reference: 'x'.repeat(256) }),
  ...['EUR', '', [], 952].flatMap((currency) => bodies(422, 'invalid_currency', { ...withLine({}), currency })),
  ...bodies(422, 'invalid_lines', {}, { lines: [] }, { lines: null }, { lines: 'x' }, { lines: { 0: payout(1) } }),
  ...lines(422, 'invalid_lines', null, 'x', 7, [], { ...payout(100), reference: 5 }),
  ...lines(422, 'invalid_lines', { ...payout(100), reference: 'x'.repeat(256) }),
  send(422, 'too_many_lines', '501 lines', { body: { lines: Array.from({ length: 501 }, () => payout(100)) } }),
  // Too many lines are refused whatever they contain.
  send(422, 'too_many_lines', '501 times nothing', { body: { lines: Array.from({ length: 501 }, () => null) } }),
  ...[undefined, null, '100', 0, -1, 1.5, 1_000_000_000_001].flatMap((amount) =>
    lines(422, 'invalid_amount', { ...payout(100), amount }),
  ),
  ...['100.0', '1e2', '-0'].map((amount) =>
    send(422, 'invalid_amount', amount, { text: `{"lines":[{"amount":${amount},"beneficiary_id":"x"}]}` }),
  ),
  ...lines(422, 'invalid_beneficiary', { amount: 100 }, { ...payout(100), beneficiary_id: randomUUID() }),
  ...[null, 'x', {}, { ...person, name: ' ' }, { ...person, msisdn: '1' }, { ...person, operator: 'x' }].flatMap(
    (beneficiary) => lines(422, 'invalid_beneficiary', { amount: 100, beneficiary }),
  ),
  ...[null, 7, randomUUID(), 'x'].flatMap((beneficiary_id) =>
    lines(422, 'invalid_beneficiary', { amount: 100, beneficiary_id }),
  ),
  // Each line is valid, but their sum exceeds the largest amount.
  ...[2, 500].flatMap((count) =>
    bodies(422, 'invalid_amount', { lines: Array.from({ length: count }, () => payout(1_000_000_000_000)) }),
  ),
  ...bodies(422, 'invalid_amount', { lines: [payout(1_000_000_000_000), payout(1)] }),
  // The first wrong field of the first wrong line decides.
  ...lines(422, 'invalid_amount', { amount: 0, beneficiary: 7, reference: 7 }),
  ...lines(422, 'invalid_beneficiary', { amount: 1, beneficiary: 7, reference: 7 }),
  ...bodies(422, 'invalid_beneficiary', { lines: [payout(1), { amount: 1 }, { ...payout(1), amount: 0 }] }),
]

/** Makes a draft of one line, or a batch above the cap of 24 hours. */
async function draft({ prepare }: Sender, amount = 100): Promise<string> {
  return checkBatch(await prepare({ lines: [payout(amount)] }), 201).id
}
const waiting = (sender: Sender) => draft(sender, 500_001)

async function executed(sender: Sender): Promise<string> {
  const id = await draft(sender)
  checkBatch(await sender.execute(id), 200, { status: 'termine' })
  return id
}

async function cancelled(sender: Sender): Promise<string> {
  const id = await draft(sender)
  checkBatch(await sender.cancel(id), 200)
  return id
}

const strangers = async ({ installation }: Stage) => draft(await newSender(installation))
const otherMode = async ({ installation, sender }: Stage) =>
  draft(await newSender(installation, { of: sender.merchant, mode: 'live' }))
const unknown = async () => newId('pob', 1)

/** Makes a call about one batch. */
function about(
  [route, path, method]: readonly [route: string, path: string, method: string],
  status: number,
  code: ErrorCode,
  why: string,
  batch: (stage: Stage) => Promise<string>,
): RefusalCase {
  const prepare: RefusalCase['prepare'] = async (stage) => {
    return { asked: { method, path: `${BATCHES}/${await batch(stage)}${path}`, key: stage.sender.key } }
  }
  return { route, why, status, code, prepare }
}
const reading = [GET, '', 'GET'] as const
const executing = [EXECUTE, '/execute', 'POST'] as const
const cancelling = [CANCEL, '/cancel', 'POST'] as const

const own = (make: (sender: Sender) => Promise<string>) => (stage: Stage) => make(stage.sender)

const batches: RefusalCase[] = [
  ...[reading, executing].flatMap((route) => [
    about(route, 404, 'resource_not_found', 'unknown', unknown),
    about(route, 404, 'resource_not_found', "another merchant's", strangers),
    about(route, 404, 'resource_not_found', 'of the other mode', otherMode),
  ]),
  ...[reading, executing, cancelling].flatMap((route) =>
    ['1', 'pob_', 'txn_1', 'POB_1', 'pob_a-b', `pob_${'z'.repeat(65)}`, 'pob_%00'].map((id) =>
      about(route, 422, 'invalid_id', id.slice(0, 10), async () => id),
    ),
  ),
  about(executing, 409, 'batch_pending_approval', 'above the cap', own(waiting)),
  about(executing, 409, 'batch_not_executable', 'executed', own(executed)),
  about(executing, 409, 'batch_not_executable', 'cancelled', own(cancelled)),
  about(cancelling, 409, 'batch_not_cancellable', 'unknown', unknown),
  about(cancelling, 409, 'batch_not_cancellable', "another merchant's", strangers),
  about(cancelling, 409, 'batch_not_cancellable', 'of the other mode', otherMode),
  about(cancelling, 409, 'batch_not_cancellable', 'executed', own(executed)),
  about(cancelling, 409, 'batch_not_cancellable', 'cancelled', own(cancelled)),
]

/** A deactivated merchant. */
async function deactivate({ installation: { db } }: Stage, { tenant }: Sender): Promise<void> {
  await db.sql`update merchants set active = false where merchant_id = ${tenant.merchant_id}`
}

/** The refusals that need more than one request. */
const stories: RefusalCase[] = [
  {
    route: POST,
    why: 'a merchant that may not operate',
    status: 403,
    code: 'merchant_inactive',
    async prepare(stage) {
      await deactivate(stage, stage.sender)
      return { asked: good(stage.sender) }
    },
  },
  about(executing, 403, 'merchant_inactive', 'a merchant that may not operate any more', async (stage) => {
    // A process caches a merchant's settings for at most a second.
    const id = await draft(stage.sender)
    await deactivate(stage, stage.sender)
    await waitFor(async () => (await stage.sender.prepare({ lines: [payout(100)] })).status === 403, PATIENCE)
    return id
  }),
  {
    route: POST,
    why: 'an archived entry of the book',
    status: 422,
    code: 'invalid_beneficiary',
    async prepare({ installation: { db }, sender }) {
      await sendWhole(sender)
      const [entry] = await db.sql<{ id: string }[]>`
        select id from beneficiaries where merchant_id = ${sender.tenant.merchant_id}`
      await archiveBeneficiary(db.sql, entry!.id)
      return { asked: good(sender, withLine({ amount: 100, beneficiary_id: entry!.id })) }
    },
  },
  {
    route: POST,
    why: 'the first request still runs',
    status: 409,
    code: 'idempotency_in_progress',
    prepare: (stage) => holdFirst(stage, good(stage.sender), 'payout_batches', (answer) => checkBatch(answer, 201)),
  },
  {
    route: POST,
    why: 'the key of another batch',
    status: 422,
    code: 'idempotency_key_reused',
    async prepare({ sender }) {
      const idempotency_key = randomUUID()
      checkBatch(await sender.prepare({ lines: [payout(100)] }, { idempotency_key }), 201)
      return { asked: { ...good(sender, { lines: [{ amount: 100, beneficiary: inline() }] }), idempotency_key } }
    },
  },
  faultCase(
    POST,
    ['payout_batches', 'reference'],
    ({ sender }) => good(sender),
    async ({ installation }, asked) => {
      checkBatch(await installation.ask(asked), 201)
    },
  ),
  ...(
    [
      [GET, '', 'GET'],
      [EXECUTE, '/execute', 'POST'],
      [CANCEL, '/cancel', 'POST'],
    ] as const
  ).map(([route, path, method]) =>
    faultCase(
      route,
      ['payout_batches', 'reference'],
      async ({ sender }) => ({ method, path: `${BATCHES}/${await draft(sender)}${path}`, key: sender.key }),
      // Nothing was done by half: a repeated request succeeds.
      async ({ installation }, asked) => {
        checkBatch(await installation.ask(asked), 200)
      },
    ),
  ),
]

const one =
  (path: string, method: string) =>
  ({ key }: Sender) => ({ method, path: `${BATCHES}/pob_1${path}`, key })

export const batchRefusals: readonly RefusalCase[] = [
  ...doorCases({
    [POST]: { ask: good, scoped: true },
    [GET]: { ask: one('', 'GET'), scoped: false },
    [EXECUTE]: { ask: one('/execute', 'POST'), scoped: true },
    [CANCEL]: { ask: one('/cancel', 'POST'), scoped: true },
  }),
  ...requests,
  ...batches,
  ...stories,
]
