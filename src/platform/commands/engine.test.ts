import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { createClock } from '../clock.ts'
import type { CallFrom } from '../http/call.ts'
import { createOwnerLocks } from '../owner-locks.ts'
import type { Tx } from '../postgres/database.ts'
import { insertRows } from '../postgres/rows.ts'
import { accepted, type Command, refused } from './command.ts'
import { defineEffect } from './effects.ts'
import { createEngine, type Run } from './engine.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
  await db.sql`
    create table seats (merchant_id bigint, livemode boolean, seat text,
                        constraint seats_pkey primary key (merchant_id, livemode, seat))`
})
after(() => db[Symbol.asyncDispose]())

/** Takes a seat that is free. */
type Seat = Tenant & { seat: string }
type Call = CallFrom & { seat: string }
type Seats = { taken: Set<string> }

const insertSeat = defineEffect<Seat>('new row', (tx, calls) => insertRows(tx, 'seats', calls))

const tenantOfTest = (merchant_id: number): Tenant => ({ merchant_id, livemode: false })
const nameOf = ({ merchant_id, seat }: Seat) => `${merchant_id}/${seat}`

/** The seats that are taken, of the merchants of these calls. */
async function readSeats(tx: Tx, calls: readonly Call[]): Promise<Seats> {
  const merchants = calls.map(({ caller }) => caller.merchant_id)
  const rows = await tx<Seat[]>`
    select merchant_id, livemode, seat from seats where merchant_id = any(${merchants}::bigint[])`
  return { taken: new Set(rows.map(nameOf)) }
}

type Changes = Partial<Pick<Command<Call, Seats, 'taken'>, 'load' | 'exclusive' | 'optimistic' | 'conflicts'>>

/** The command, run by an engine of its own; `loads` says how many calls each load was for. */
function open(changes: Changes = {}) {
  const loads: number[] = []
  const { load = readSeats, ...others } = changes
  const locks = createOwnerLocks()
  const engine = createEngine({ sql: db.sql, clock: createClock(), locks })
  const run: Run<Call, 'taken'> = engine.run<Call, Seats, 'taken'>({
    load(tx, calls) {
      loads.push(calls.length)
      return load(tx, calls)
    },
    decide({ caller, seat }, { taken }) {
      const wanted = { ...caller, seat }
      if (taken.has(nameOf(wanted))) return refused('taken')
      taken.add(nameOf(wanted))
      return accepted({ status: 201, body: { seat } }, [insertSeat(wanted)])
    },
    ...others,
  })
  const take = ({ seat, key, ...caller }: Seat & { key: string | null }, isWanted = () => true) => {
    const fingerprint = createHash('sha256').update(seat).digest()
    return run({ caller, idempotency: key === null ? null : { key, fingerprint }, isWanted, seat })
  }
  return { take, loads, locks }
}

const optimistic: Changes = {
  conflicts: ['seats_pkey'],
  optimistic: { when: ({ seat }) => seat !== 'reserved', loaded: () => ({ taken: new Set() }) },
}

let keys = 0
const newKey = () => {
  keys += 1
  return `engine-key-${keys}`
}

const seatsOf = async ({ merchant_id }: Tenant) =>
  (await db.sql`select seat from seats where merchant_id = ${merchant_id} order by seat`).map(({ seat }) => seat)

for (const [how, changes] of [
  ['loaded', {}],
  ['optimistic', optimistic],
] as const) {
  test(`${how}: an accepted call gets its effects and a stored answer, a refused one gets neither`, async () => {
    const tenant = tenantOfTest(how === 'loaded' ? 1 : 2)
    const { take } = open(changes)
    const key = newKey()
    const first = await take({ ...tenant, seat: 'a', key })
    assert.deepEqual(first, { kind: 'created', status: 201, text: '{"seat":"a"}' })
    assert.deepEqual(await take({ ...tenant, seat: 'a', key }), { ...first, kind: 'replayed' })
    const refusedKey = newKey()
    assert.deepEqual(await take({ ...tenant, seat: 'a', key: refusedKey }), { kind: 'refused', code: 'taken' })
    assert.equal((await take({ ...tenant, seat: 'b', key: refusedKey })).kind, 'created', 'the key was not used up')
    assert.deepEqual(await take({ ...tenant, seat: 'c', key }), { kind: 'refused', code: 'idempotency_key_reused' })
    assert.equal((await take({ ...tenant, seat: 'c', key: null })).kind, 'created')
    assert.deepEqual(await seatsOf(tenant), ['a', 'b', 'c'])
  })

  test(`${how}: a key that occurs twice in a batch goes on once, and each call is decided on what the previous one left`, async () => {
    const tenant = tenantOfTest(how === 'loaded' ? 3 : 4)
    const { take } = open(changes)
    const key = newKey()
    const calls = [
      { seat: 'a', key },
      { seat: 'a', key },
      { seat: 'b', key: newKey() },
      { seat: 'b', key: newKey() },
    ]
    const outcomes = await Promise.all(calls.map((call) => take({ ...tenant, ...call })))
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.code : outcome.kind)),
      ['created', 'idempotency_in_progress', 'created', 'taken'],
    )
    assert.deepEqual(await seatsOf(tenant), ['a', 'b'])
  })
}

test('optimistic calls load nothing; a call that may not be optimistic makes its whole batch load', async () => {
  const tenant = tenantOfTest(5)
  const { take, loads } = open(optimistic)
  await Promise.all(['a', 'b', 'c'].map((seat) => take({ ...tenant, seat, key: newKey() })))
  assert.deepEqual(loads, [])
  await Promise.all(['d', 'reserved'].map((seat) => take({ ...tenant, seat, key: newKey() })))
  assert.deepEqual(loads, [2])
  assert.deepEqual(await seatsOf(tenant), ['a', 'b', 'c', 'd', 'reserved'])
})

test('a violated constraint of `conflicts` makes the engine load and decide again, any other fails the call', async () => {
  const tenant = tenantOfTest(6)
  const taken = { ...tenant, seat: 'a', key: null }
  await open().take(taken)
  let rounds = 0
  const blindAtFirst: Changes = {
    async load(tx, calls) {
      rounds += 1
      return rounds < 3 ? { taken: new Set() } : readSeats(tx, calls)
    },
  }
  const { take, loads } = open({ ...blindAtFirst, conflicts: ['seats_pkey'] })
  assert.deepEqual(await take({ ...taken, key: newKey() }), { kind: 'refused', code: 'taken' })
  assert.equal(loads.length, 3)
  rounds = 0
  await assert.rejects(open(blindAtFirst).take(taken), { constraint_name: 'seats_pkey' })
})

test('a conflict on every attempt fails the call', async () => {
  const tenant = tenantOfTest(7)
  const taken = { ...tenant, seat: 'a', key: null }
  await open().take(taken)
  const { take, loads } = open({ load: async () => ({ taken: new Set() }), conflicts: ['seats_pkey'] })
  await assert.rejects(take(taken), { constraint_name: 'seats_pkey' })
  assert.equal(loads.length, 4)
})

test('a call is not begun when its caller was answered before its turn', async () => {
  const tenant = tenantOfTest(8)
  const { take } = open()
  const first = take({ ...tenant, seat: 'a', key: null })
  await assert.rejects(
    take({ ...tenant, seat: 'b', key: null }, () => false),
    { name: 'NotWanted' },
  )
  await first
  assert.deepEqual(await seatsOf(tenant), ['a'])
})

test('an exclusive call waits while its merchant is locked in this process, and calls of other merchants do not', async () => {
  const { take, locks, loads } = open({ exclusive: true })
  const [held, other] = [tenantOfTest(9), tenantOfTest(10)]
  assert.ok(locks.take('9/false', { wake() {} }))
  const waiting = take({ ...held, seat: 'a', key: null })
  assert.equal((await take({ ...other, seat: 'a', key: null })).kind, 'created')
  assert.equal(loads.length, 1)
  locks.release('9/false')
  assert.equal((await waiting).kind, 'created')
})
