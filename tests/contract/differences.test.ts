import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { newStatementAccount } from '../harness/statement-accounts.ts'
import { waitFor } from '../harness/wait-for.ts'
import { PATIENCE } from './sender.ts'
import { StatementStand } from './statement-stand.ts'

let installation: Installation
let stand: StatementStand
before(async () => {
  installation = await openInstallation()
  stand = await StatementStand.open(installation)
})
after(async () => {
  await stand[Symbol.asyncDispose]()
  await installation[Symbol.asyncDispose]()
})

type Difference = { id: string; kind: string; status: string; amount: number; theirs: { reference: string } | null }

const list = async (...options: string[]): Promise<Difference[]> =>
  (await stand.run('reconcile', 'list', '--mode', mode, '--limit', '500', ...options)).differences

/** The differences about lines with these numbers, as kind, status and amount. */
async function about(account: readonly string[], ...numbers: string[]): Promise<unknown[][]> {
  const found = await list(...account)
  return numbers.map((number) => {
    const one = found.find(({ theirs }) => theirs?.reference === number)
    return one === undefined ? [] : [one.kind, one.status, one.amount]
  })
}

test('each line that disagrees with our books is one difference, and one about an order is an anomaly', async () => {
  const order = await stand.collect(4_000)
  const wallet = ['--account', order.connector]
  const [good, less, stray] = [`G_${order.id}`, `L_${order.id}`, `S_${order.id}`]
  const other = await stand.collect(6_000)
  const rows = [
    { number: good, amount: 4_000, reference: order.reference, at: order.sent_at },
    { number: less, amount: 5_400, reference: other.reference, at: other.sent_at },
    { number: stray, amount: 700 },
  ]
  await stand.importRows(wallet, rows)
  const expected = [[], ['amount_differs', 'open', 600], ['missing_here', 'open', 700]]
  assert.deepEqual(await about(wallet, good, less, stray), expected)
  // The same lines in another file and order change nothing.
  await stand.importRows(wallet, rows.toReversed())
  assert.deepEqual(await about(wallet, good, less, stray), expected)

  const [differing] = (await list(...wallet, '--kind', 'amount_differs')).filter(
    ({ theirs }) => theirs?.reference === less,
  )
  const shown = await stand.run('reconcile', 'show', '--id', differing!.id)
  const keys = ['id', 'account', 'day', 'kind', 'status', 'amount', 'ours', 'theirs', 'anomaly_id', 'suggestions']
  assert.deepEqual(Object.keys(shown), [...keys, 'due_on', 'opened_at', 'closed_at', 'resolution'])
  const { merchant_id, ...ours } = shown.ours
  assert.deepEqual(ours, { subject_id: other.id, state: 'confirmed', amount: 6_000, charge: 0 })
  assert.ok(merchant_id > 0)
  assert.deepEqual([shown.theirs.gross, shown.theirs.subject_id, shown.resolution], [5_400, other.id, null])
  const anomaly = await stand.run('anomaly', 'show', '--id', shown.anomaly_id)
  assert.deepEqual([anomaly.kind, anomaly.subject_id], ['amount_differs', other.id])
})

const oneById = (id: string) => stand.run('reconcile', 'show', '--id', id)

async function oneAbout(account: readonly string[], number: string) {
  const found = (await list(...account)).find(({ theirs }) => theirs?.reference === number)
  return oneById(found!.id)
}

test('an anomaly follows its line, and a decision about it closes the difference for good', async () => {
  const { sql } = installation.db
  const order = await stand.collect(6_100)
  const wallet = ['--account', order.connector]
  const { id, reference, sent_at: at } = order
  const less = `L2_${id}`
  const stateOf = async (anomaly_id: string) => {
    const { kind, closed_at } = await stand.run('anomaly', 'show', '--id', anomaly_id)
    return [kind, closed_at === null ? 'open' : 'closed']
  }
  const file = await stand.importRows(wallet, [{ number: less, amount: 5_400, reference, at }])
  const first = await oneAbout(wallet, less)
  await stand.importRows(wallet, [{ number: `G2_${id}`, amount: 6_100, reference, at }])
  const second = await oneAbout(wallet, less)
  assert.deepEqual([second.kind, second.status], ['duplicate', 'open'])
  assert.deepEqual(await stateOf(first.anomaly_id), ['amount_differs', 'closed'])
  assert.deepEqual(await stateOf(second.anomaly_id), ['second_success', 'open'])
  // Its file is withdrawn, and comes again.
  await stand.withdraw(file.file_id)
  const until = (status: string) => waitFor(async () => (await oneById(first.id)).status === status, PATIENCE)
  await until('closed')
  assert.deepEqual(await stateOf(second.anomaly_id), ['second_success', 'closed'])
  await stand.importRows(wallet, [{ number: less, amount: 5_400, reference, at }])
  assert.deepEqual(await stateOf(second.anomaly_id), ['second_success', 'open'])
  await stand.close(second.anomaly_id)
  await until('closed')
  const [closed] = await sql`select resolution from differences where id = ${first.id}`
  assert.equal(closed!.resolution, 'anomaly')
  const rows = [5_400, 10].map((amount, n) => ({
    number: n === 0 ? less : `O_${id}`,
    amount,
    reference: n === 0 ? reference : '',
    at,
  }))
  await stand.importRows(wallet, rows)
  assert.equal((await oneById(first.id)).resolution, 'anomaly')
  assert.deepEqual(await stateOf(second.anomaly_id), ['second_success', 'closed'])
})

test('a line about a success that a late look found is its difference, and no second anomaly', async () => {
  const { sql } = installation.db
  const { id, connector, reference, sent_at: at } = await stand.collectRefused(7_300)
  const anomaly = `ano${id.slice(3)}`
  await sql`
    insert into anomalies (merchant_id, livemode, subject_id, kind, fact, id, operator, evidence)
    select merchant_id, livemode, subject_id, 'proof_after_refusal', 'succeeded', ${anomaly}, operator, '{}'
      from instructions
     where subject_id = ${id}`
  const number = `R_${id}`
  await stand.importRows(['--account', connector], [{ number, amount: 7_300, reference, at }])
  const { kind, anomaly_id } = await oneAbout(['--account', connector], number)
  assert.deepEqual([kind, anomaly_id], ['state_differs', anomaly])
  assert.equal((await sql`select id from anomalies where subject_id = ${id}`).length, 1)
})

test('a late line or number closes a difference, and pages continue where the last one ended', async () => {
  const { sql } = installation.db
  const order = await stand.collect(2_500)
  const account = await newStatementAccount(sql, livemode)
  const number = `N_${order.id}`
  const at = new Date(order.sent_at.getTime() + 1_000)
  const file = await stand.importRows(['--account', order.connector], [{ number, amount: 2_500, at }])
  const wallet = ['--account', order.connector]
  assert.deepEqual(await about(wallet, number), [['missing_here', 'open', 2_500]])
  await sql`update instructions set operator_reference = ${number} where subject_id = ${order.id}`
  await sql`update statement_files set ended_at = ended_at - interval '61 minutes' where id = ${file.file_id}`
  await waitFor(async () => (await about(wallet, number))[0]![1] === 'closed', PATIENCE)
  const [closed] = (await list(...wallet, '--status', 'closed')).filter(({ theirs }) => theirs?.reference === number)
  assert.equal((await stand.run('reconcile', 'show', '--id', closed!.id)).resolution, 'late_line')

  const own = ['--account', account]
  const day = (n: number) => new Date(Date.UTC(2026, 0, n, 8))
  await stand.importRows(
    own,
    [3, 2, 1].map((n) => ({ number: `P${n}_${account}`, amount: n, at: day(n) })),
  )
  const first = await stand.run('reconcile', 'list', '--mode', mode, ...own, '--limit', '2')
  const rest = await stand.run('reconcile', 'list', '--mode', mode, ...own, '--after', first.next)
  const amounts = [...first.differences, ...rest.differences].map((one: Difference) => one.amount)
  assert.deepEqual([amounts, rest.next], [[1, 2, 3], null])
})

test('an order that a complete file lacks waits, is open when it is late, and is closed by its line', async () => {
  const { sql } = installation.db
  const order = await stand.collect(3_300)
  const wallet = ['--account', order.connector]
  const seconds = (count: number) => new Date(order.sent_at.getTime() + count * 1_000)
  const around = [
    { number: `A_${order.id}`, amount: 10, at: seconds(-2) },
    { number: `Z_${order.id}`, amount: 20, at: seconds(60) },
  ]
  const absent = async () => {
    const [row] = await sql`select id, kind, status, amount from differences where subject_id = ${order.id}`
    return row === undefined ? [] : [row.kind, row.status, row.amount]
  }
  // Two files of the same day, and neither is complete for the time of the order.
  await stand.importRows(wallet, [{ number: `B_${order.id}`, amount: 30, at: seconds(-3) }])
  await stand.importRows(wallet, [{ number: `Y_${order.id}`, amount: 40, at: seconds(61) }])
  assert.deepEqual(await absent(), [])
  const file = await stand.importRows(wallet, around)
  assert.ok(file.missing_there >= 1)
  assert.deepEqual(await absent(), ['missing_there', 'waiting', 3_300])
  await stand.withdraw(file.file_id)
  await waitFor(async () => (await absent())[1] === 'closed', PATIENCE)
  await stand.importRows(wallet, around)
  assert.deepEqual(await absent(), ['missing_there', 'waiting', 3_300])
  await sql`update differences set due_on = due_on - 2 where subject_id = ${order.id}`
  await stand.sweep()
  await waitFor(async () => (await absent())[1] === 'open', PATIENCE)
  const [found] = await sql`select id from differences where subject_id = ${order.id}`
  const shown = await stand.run('reconcile', 'show', '--id', found!.id)
  assert.deepEqual([shown.ours.subject_id, shown.theirs, shown.due_on < shown.opened_at], [order.id, null, true])
  // Its line is three days away.
  const line = { number: `L_${order.id}`, amount: 3_300, reference: order.reference, at: seconds(-3 * 86_400) }
  assert.equal((await stand.importRows(wallet, [line])).matched, 1)
  assert.deepEqual(await absent(), ['missing_there', 'closed', 3_300])
})

test('a day between two files that no file covers is a difference until a file comes', async () => {
  const account = ['--account', await newStatementAccount(installation.db.sql, livemode)]
  const day = (n: number) => [{ number: `F${n}_${account[1]}`, amount: n, at: new Date(Date.UTC(2026, 1, n, 8)) }]
  assert.equal((await stand.importRows(account, day(1))).file_missing, 0)
  const last = await stand.importRows(account, day(3))
  assert.equal(last.file_missing, 1)
  const gap = async () => (await list(...account, '--kind', 'file_missing'))[0]!
  assert.deepEqual([(await gap()).status, (await gap()).amount, (await gap()).theirs], ['open', 0, null])
  await stand.withdraw(last.file_id)
  await waitFor(async () => (await gap()).status === 'closed', PATIENCE)
  assert.equal((await stand.importRows(account, day(3))).file_missing, 1)
  assert.equal((await stand.importRows(account, day(2))).file_missing, 0)
  assert.equal((await gap()).status, 'closed')
})

test('lines of a bank wait, because nothing looks for their other half yet', async () => {
  const account = ['--account', await newStatementAccount(installation.db.sql, livemode, { kind: 'bank' })]
  await stand.importRows(account, [{ number: `K_${account[1]}`, amount: 900, at: new Date(Date.UTC(2026, 2, 1, 8)) }])
  const [line] = await list(...account)
  assert.deepEqual([line!.kind, line!.status], ['missing_here', 'waiting'])
})

// Its differences fill the list of the account: it is the last.
test('a forged file opens at most 1 000 anomalies, the rest as they close, and its withdrawal closes them', async () => {
  const { sql } = installation.db
  const { id, connector, reference, sent_at: at } = await stand.collect(8_200)
  const rows = Array.from({ length: 1_010 }, (_, n) => ({ number: `F${n}_${id}`, amount: 8_200, reference, at }))
  const { file_id } = await stand.importRows(['--account', connector], rows)
  const count = async () => {
    const [counts] = await sql<{ all: number; with_one: number; open: number }[]>`
      select count(*) as all, count(anomaly_id) as with_one,
             (select count(*) from anomalies where subject_id = ${id} and closed_at is null) as open
        from differences
       where subject_id = ${id} and status = 'open'`
    return counts!
  }
  const before = await count()
  assert.equal(before.all, 1_009)
  assert.equal(before.open, before.with_one)
  assert.ok(before.open > 900 && before.open <= 1_000)
  const [one] = await sql`select id from anomalies where subject_id = ${id} order by id limit 1`
  await stand.close(one!.id)
  await waitFor(async () => {
    const { all, open } = await count()
    return all === 1_008 && open === before.open
  }, PATIENCE)
  await stand.withdraw(file_id)
  await waitFor(async () => (await count()).open === 0, PATIENCE)
})
