import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { countInFile, currentFile } from './current-file.ts'
import { openPool, type TestDatabase } from './database.ts'
import type { LentStand, StandWanted } from './stands.ts'
import type { Service } from './start-service.ts'
import { starting } from './starting.ts'

/** A stand that this file has until it ends or gives it back. */
export type BorrowedStand = {
  db: TestDatabase
  secret_key: string
  services: Service[]
  giveBack(): Promise<void>
}

/** The socket of the run's stands. Without it each file starts its own installation. */
const socket_path = process.env.TEST_STANDS ?? ''

/** The stand that a file borrowed, and the first of the numbers that it makes there. No other file has made one of the same stand. */
let first_number = { file: '', rank: 0 }
/** The numbers of one file. */
const NUMBERS_PER_FILE = 390

/** Returns the rank of a new number of this file, from 1. @param of what is numbered; each kind counts by itself */
export function nextRank(of: string): number {
  const made = countInFile(of)
  return first_number.file === currentFile() ? first_number.rank + made : made
}

/**
 * Borrows a running installation with the usual settings. Null when the run lends none.
 * @param processes the words after `serve` of each process
 */
export async function borrowStand(processes: string[][]): Promise<BorrowedStand | null> {
  return socket_path === '' ? null : await starting('stand', () => borrow(processes))
}

async function borrow(processes: string[][]): Promise<BorrowedStand> {
  const socket = connect(socket_path)
  await once(socket, 'connect')
  const wanted: StandWanted = { file: currentFile(), processes }
  socket.write(`${JSON.stringify(wanted)}\n`)
  const answers = createInterface(socket)[Symbol.asyncIterator]()
  const { value, done } = await answers.next()
  if (done === true) throw new Error('The run could not start a stand. Its output says why.')
  const lent = JSON.parse(value) as LentStand
  first_number = { file: wanted.file, rank: lent.turn * NUMBERS_PER_FILE }
  const sql = openPool({ url: lent.url, connections: 4, name: 'test' })
  return {
    db: {
      url: lent.url,
      sql,
      moveClock: () => Promise.reject(shared('moves the clock')),
      [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }),
    },
    secret_key: lent.secret_key,
    services: lent.services.map((service) => asService(service, lent.secret_key)),
    async giveBack() {
      await sql.end({ timeout: 1 })
      socket.end()
      await once(socket, 'close')
    },
  }
}

function asService({ address, pid, output_file }: LentStand['services'][number], secret_key: string): Service {
  const printed_before = statSync(output_file).size
  return {
    address,
    pid,
    secret_key,
    ended: new Promise(() => {}),
    kill: () => Promise.reject(shared('ends its service')),
    stop: () => Promise.reject(shared('ends its service')),
    output: () => readFileSync(output_file).subarray(printed_before).toString('utf8'),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

const shared = (own: string) => new Error(`Other files use this stand: open one with { own: '${own}' }.`)
