import type { Tx } from '../../src/platform/postgres/database.ts'
import { hold, untilWaiting } from '../harness/hold.ts'
import type { Installation } from '../harness/installation.ts'
import type { Answer } from './ask.ts'

/** The processes of these races: the second one sends. */
export const API_AND_WORKER = {
  processes: [
    ['--only', 'api'],
    ['--only', 'worker'],
  ],
  waits: true,
}

export type Racers = {
  /** Makes an order and returns its id. */
  make(): Promise<string>
  /** Locks the row that the cancellation and the sending lock first. */
  lock(tx: Tx, id: string): PromiseLike<unknown>
  cancel(id: string): Promise<Answer>
}

/** Lets a cancellation and the sending of one order meet, and the given one come first. Returns the answer to the cancellation. */
export async function race(
  { db: { sql }, services }: Installation,
  first: 'cancellation' | 'sending',
  { make, lock, cancel }: Racers,
): Promise<{ id: string; answer: Answer }> {
  const worker = services[1]!.pid
  if (first === 'sending') {
    // The sending stops where it writes its send, with the lock of its order.
    await using held = await hold(sql, (tx) => tx`lock table sends in share mode`)
    const id = await make()
    await untilWaiting(sql)
    const answer = cancel(id)
    await untilWaiting(sql, { count: 2 })
    await held.letGo()
    return { id, answer: await answer }
  }
  process.kill(worker, 'SIGSTOP')
  const id = await make()
  await using held = await hold(sql, (tx) => lock(tx, id))
  const answer = cancel(id)
  await untilWaiting(sql)
  process.kill(worker, 'SIGCONT')
  await untilWaiting(sql, { count: 2 })
  await held.letGo()
  return { id, answer: await answer }
}
