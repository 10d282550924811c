import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import type { Tx } from '../postgres/database.ts'
import { claimKeys, dropOldAnswers, type KeyClaim, storeResponses } from './keys.ts'

const fingerprint = (of: string): Buffer => createHash('sha256').update(of).digest()

function claimOf(key: string, changes: Partial<KeyClaim> = {}): KeyClaim {
  return { merchant_id: 1, livemode: false, key, fingerprint: fingerprint('one'), ...changes }
}

describe('idempotency keys', () => {
  let db: TestDatabase
  before(async () => {
    db = await openTestDatabase()
  })
  after(() => db[Symbol.asyncDispose]())
  beforeEach(() => db.sql`delete from idempotency_keys`)

  const inTransaction = <Result>(work: (tx: Tx) => Promise<Result> | Result) => db.sql.begin(work)
  const claimAlone = (...claims: (KeyClaim | null)[]) => inTransaction((tx) => claimKeys(tx, claims))

  /** Claims in a transaction that stays open until `end` is called. */
  async function claimAndHold(claim: KeyClaim) {
    const ended = Promise.withResolvers<'commit' | 'rollback'>()
    const begun = Promise.withResolvers<unknown>()
    const transaction = inTransaction(async (tx) => {
      begun.resolve(await claimKeys(tx, [claim]))
      if ((await ended.promise) === 'rollback') throw new Error('rolled back')
      await storeResponses(tx, [{ ...claim, status: 201, body: '{"id":"txn_1"}' }])
    }).catch((error: Error) => assert.equal(error.message, 'rolled back'))
    assert.deepEqual(await begun.promise, [{ kind: 'claimed' }])
    return async (how: 'commit' | 'rollback') => {
      ended.resolve(how)
      await transaction
    }
  }

  test('a key that another transaction holds is in progress at once, without waiting', async () => {
    const end = await claimAndHold(claimOf('key-held-1'))
    const claims = await claimAlone(claimOf('key-free-1'), claimOf('key-held-1'), null)
    assert.deepEqual(claims, [{ kind: 'claimed' }, { kind: 'in_progress' }, { kind: 'claimed' }])
    // The other transaction is still open: a claim that waited for it would have failed by its timeout.
    await end('rollback')
  })

  test('a different request with a held key is in progress too', async () => {
    const end = await claimAndHold(claimOf('key-held-2'))
    assert.deepEqual(await claimAlone(claimOf('key-held-2', { fingerprint: fingerprint('two') })), [
      { kind: 'in_progress' },
    ])
    await end('rollback')
  })

  test('a rollback frees the key', async () => {
    const end = await claimAndHold(claimOf('key-rolled-back'))
    await end('rollback')
    assert.deepEqual(await claimAlone(claimOf('key-rolled-back')), [{ kind: 'claimed' }])
  })

  test('after the commit the same request gets the stored answer, byte for byte, and a different one is refused', async () => {
    const body = '{ "id":"txn_1","text":"é\\u0000\\n\\"","amount":1e2 }'
    const claim = claimOf('key-replayed')
    await inTransaction((tx) => storeResponses(tx, [{ ...claim, status: 202, body }]))
    const claims = await claimAlone(claim, claimOf('key-replayed', { fingerprint: fingerprint('two') }), claim)
    const replay = { kind: 'replay', status: 202, body }
    assert.deepEqual(claims, [replay, { kind: 'reused' }, replay])
  })

  test('two replays of the same key are answered at the same time', async () => {
    const claim = claimOf('key-replayed-twice')
    await inTransaction((tx) => storeResponses(tx, [{ ...claim, status: 201, body: '{}' }]))
    await inTransaction(async (tx) => {
      await claimKeys(tx, [claim])
      assert.deepEqual(await claimAlone(claim), [{ kind: 'replay', status: 201, body: '{}' }])
    })
  })

  test('a key that occurs twice in one batch is claimed once', async () => {
    const claims = await claimAlone(claimOf('key-doubled'), claimOf('key-other'), claimOf('key-doubled'))
    assert.deepEqual(claims, [{ kind: 'claimed' }, { kind: 'claimed' }, { kind: 'in_progress' }])
  })

  test('merchants and modes do not share keys', async () => {
    const claim = claimOf('key-separate')
    await inTransaction((tx) => storeResponses(tx, [{ ...claim, status: 201, body: '{}' }]))
    const claims = await claimAlone({ ...claim, merchant_id: 2 }, { ...claim, livemode: true })
    assert.deepEqual(claims, [{ kind: 'claimed' }, { kind: 'claimed' }])
  })

  test('an answer committed during a claim is seen, or its key is in progress: a key is never claimed twice', async () => {
    for (let round = 0; round < 30; round += 1) {
      const claim = claimOf(`key-raced-${round}`)
      const tries = await Promise.all(
        Array.from({ length: 4 }, () =>
          inTransaction(async (tx) => {
            const [met] = await claimKeys(tx, [claim])
            if (met!.kind === 'claimed') await storeResponses(tx, [{ ...claim, status: 201, body: '{}' }])
            return met!.kind
          }),
        ),
      )
      assert.equal(tries.filter((kind) => kind === 'claimed').length, 1, tries.join())
    }
  })

  test('an answer older than the retention is dropped, a younger one stays', async () => {
    const old = claimOf('key-grown-old')
    const young = claimOf('key-still-young')
    await inTransaction((tx) =>
      storeResponses(
        tx,
        [old, young].map((claim) => ({ ...claim, status: 201, body: '{}' })),
      ),
    )
    await db.sql`update idempotency_keys set created_at = clock_now() - interval '31 days' where key = ${old.key}`
    assert.equal(await dropOldAnswers(db.sql, 30), 1)
    assert.equal(await dropOldAnswers(db.sql, 30), 0)
    const claims = await claimAlone(old, young)
    assert.deepEqual(
      claims.map(({ kind }) => kind),
      ['claimed', 'replay'],
    )
  })
})
