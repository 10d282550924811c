import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tx } from '../postgres/database.ts'
import { applyEffects, defineEffect, defineReaction } from './effects.ts'
import { type LockRank, lockOrder } from './lock-order.ts'

// Nothing here writes to a database: these effects note that their turn came.
const tx = {} as Tx
const now = new Date(0)

const pairs = lockOrder.flatMap((one) => lockOrder.map((other): [LockRank, LockRank] => [one, other]))
const inOrder = (ranks: readonly LockRank[]) =>
  ranks.toSorted((one, other) => lockOrder.indexOf(one) - lockOrder.indexOf(other))

test('of any two effects the one earlier in the lock order is applied first, whatever their order', async () => {
  for (const pair of pairs) {
    const applied: LockRank[] = []
    const effects = pair.map((rank) => defineEffect<null>(rank, () => void applied.push(rank))(null))
    await applyEffects(tx, effects, now)
    assert.deepEqual(applied, inOrder(pair))
  }
})

test('of any two reactions the second begins after the first has its locks', async () => {
  for (const pair of pairs) {
    const steps: string[] = []
    const reactions = pair.map((rank) =>
      defineReaction<null>(rank, async () => {
        steps.push(`${rank} asks`)
        await Promise.resolve()
        steps.push(`${rank} has`)
        return []
      })(null),
    )
    await applyEffects(tx, reactions, now)
    assert.deepEqual(
      steps,
      inOrder(pair).flatMap((rank) => [`${rank} asks`, `${rank} has`]),
    )
  }
})

test('a reaction may return effects of its own rank or a later one, and an earlier rank throws', async () => {
  for (const [rank, following] of pairs) {
    const applied: LockRank[] = []
    const follow = defineEffect<null>(following, () => void applied.push(following))
    const react = defineReaction<null>(rank, async () => [follow(null)])
    const applying = applyEffects(tx, [react(null)], now)
    if (lockOrder.indexOf(following) < lockOrder.indexOf(rank)) {
      await assert.rejects(applying, { message: `${following} would be locked after ${rank}: see lock-order.ts.` })
      assert.deepEqual(applied, [])
    } else {
      await applying
      assert.deepEqual(applied, [following])
    }
  }
})

test('each kind is written once with all its rows in order, including those of reactions', async () => {
  const writes: number[][] = []
  const write = defineEffect<number>('job', (_, rows) => void writes.push([...rows]))
  const react = defineReaction<number>('payment', async (_, rows) => rows.map((row) => write(row * 10)))
  await applyEffects(tx, [write(1), react(2), write(3), react(4)], now)
  assert.deepEqual(writes, [[1, 3, 20, 40]])
})

test('a statement that an effect awaits is sent before the statements of the next effect', async () => {
  const sent: string[] = []
  const statement = (name: string): PromiseLike<void> => ({
    // biome-ignore lint/suspicious/noThenProperty: like a statement, which is sent when it is awaited.
    then: (...told) => Promise.resolve(void sent.push(name)).then(...told),
  })
  const awaited = defineEffect<null>('account', async () => await statement('accounts'))
  const sentAtOnce = defineEffect<null>('job', () => void sent.push('jobs'))
  await applyEffects(tx, [sentAtOnce(null), awaited(null)], now)
  assert.deepEqual(sent, ['accounts', 'jobs'])
})

test('one failing effect fails all, also when others are applied after it', async () => {
  const fail = defineEffect<null>('account', async () => {
    await Promise.resolve()
    throw new Error('refused')
  })
  const others = defineEffect<null>('job', async () => {})
  await assert.rejects(applyEffects(tx, [fail(null), others(null)], now), /refused/)
})

test('without effects nothing is sent, and reactions get the time of the transaction', async () => {
  await applyEffects(tx, [], now)
  let told: Date | null = null
  const react = defineReaction<null>('event', async (_, __, moment) => {
    told = moment
    return []
  })
  await applyEffects(tx, [react(null)], now)
  assert.equal(told, now)
})
