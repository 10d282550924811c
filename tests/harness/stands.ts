import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { audit } from '../../src/app/audit.ts'
import { openTestDatabase, type TestDatabase } from './database.ts'
import { processesOn } from './installation.ts'
import type { Service } from './start-service.ts'

// The stands of a run: installations that many files use, one after the other, because a start costs more than most files. A file borrows
// one over a socket (borrow-stand.ts) and gives it back when it ends, however it ends. Each file makes merchants of its own.

/** A file's request for a stand. */
export type StandWanted = {
  file: string
  /** The words after `serve` of each process. */
  processes: string[][]
}

/** A borrowed stand. */
export type LentStand = {
  url: string
  secret_key: string
  services: { address: string; pid: number; output_file: string }[]
  /** The number of files that had this stand before. */
  turn: number
}

/** A stand that its file broke. */
export type BrokenStand = { file: string; broken: string }

export type Stands = {
  /** The path of the socket, for TEST_STANDS. */
  socket: string
  /** The stands that were started, how often one was lent, and those that a file broke. */
  counts: { started: number; lent: number; broken: BrokenStand[] }
  close(): Promise<void>
}

type Stand = {
  kind: string
  db: TestDatabase
  secret_key: string
  services: Service[]
  output_files: string[]
  state: string
  turn: number
}

/** The most idle stands. An idle service still looks after its queue, which costs the others processor time. */
const IDLE_MAX = 4
/** The most files of one stand. Its tables grow with each, and so do the pages and searches over all merchants. */
const TURNS_MAX = 25

/** Lends stands to the test files of a run. @param folder a folder for the socket and the services' output */
export async function openStands(folder: string): Promise<Stands> {
  const idle: Stand[] = []
  const all = new Set<Stand>()
  const returning = new Set<Promise<void>>()
  const counts: Stands['counts'] = { started: 0, lent: 0, broken: [] }
  let closed = false

  async function take({ processes }: StandWanted): Promise<Stand> {
    const kind = JSON.stringify(processes)
    const at = idle.findLastIndex((stand) => stand.kind === kind)
    if (at !== -1) return idle.splice(at, 1)[0]!
    counts.started += 1
    const name = join(folder, `stand-${counts.started}`)
    const stand = await startStand(kind, processes, name)
    all.add(stand)
    return stand
  }

  async function giveBack(stand: Stand, { file }: StandWanted): Promise<void> {
    const broken = closed ? null : await findDamage(stand)
    if (broken !== null) counts.broken.push({ file, broken })
    stand.turn += 1
    if (closed || broken !== null || stand.turn >= TURNS_MAX) return await end(stand)
    idle.push(stand)
    if (idle.length > IDLE_MAX) await end(idle.shift()!)
  }

  async function end(stand: Stand): Promise<void> {
    all.delete(stand)
    await Promise.all(stand.services.map((service) => service[Symbol.asyncDispose]()))
    await stand.db[Symbol.asyncDispose]()
  }

  async function serve(socket: Socket): Promise<void> {
    socket.on('error', () => {})
    const gone = once(socket, 'close')
    for await (const line of createInterface(socket)) {
      const wanted = JSON.parse(line) as StandWanted
      const stand = await take(wanted)
      counts.lent += 1
      const { db, secret_key, services, output_files, turn } = stand
      const lent: LentStand = {
        url: db.url,
        secret_key,
        services: services.map(({ address, pid }, rank) => ({ address, pid, output_file: output_files[rank]! })),
        turn,
      }
      socket.write(`${JSON.stringify(lent)}\n`)
      await gone
      const returned = giveBack(stand, wanted)
      returning.add(returned)
      return await returned.finally(() => returning.delete(returned))
    }
  }

  const server = createServer((socket) => {
    serve(socket).catch((error: unknown) => {
      process.stderr.write(`A stand could not be lent: ${String(error)}\n`)
      socket.destroy()
    })
  })
  const socket = join(folder, 'stands')
  server.listen(socket)
  await once(server, 'listening')
  return {
    socket,
    counts,
    async close() {
      closed = true
      server.close()
      // The books of the last one are read before its database goes.
      await Promise.allSettled(returning)
      await Promise.all([...all].map(end))
    },
  }
}

async function startStand(kind: string, processes: string[][], name: string): Promise<Stand> {
  const db = await openTestDatabase()
  const base = processesOn(db.url)
  const services: Service[] = []
  const output_files: string[] = []
  for (const [rank, args] of processes.entries()) {
    const output_file = `${name}-${rank}.log`
    appendFileSync(output_file, '')
    output_files.push(output_file)
    services.push(await base.start({ args, onOutput: (text) => appendFileSync(output_file, text) }))
  }
  return { kind, db, secret_key: base.secret_key, services, output_files, state: await readState(db), turn: 0 }
}

/** Returns what a file broke of a stand, so that the next one does not meet it. Null if it is as good as new, and its books are right. */
async function findDamage(stand: Stand): Promise<string | null> {
  const gone = stand.services.find(({ pid }) => !isAlive(pid))
  if (gone !== undefined) return `process ${gone.pid} has ended`
  try {
    await retireEndpoints(stand.db)
    const state = await readState(stand.db)
    if (state !== stand.state) return `changed: ${differences(stand.state, state)}`
    const wrong = (await audit(stand.db.sql)).checks.filter((check) => check.wrong > 0)
    return wrong.length === 0 ? null : `books: ${wrong.map(({ check }) => check).join('; ')}`
  } catch (error) {
    return String(error)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Ends the deliveries to receivers that have gone with their file: another test may get their port. */
async function retireEndpoints({ sql }: TestDatabase): Promise<void> {
  await sql`
    update endpoints set status = 'disabled', disabled_at = clock_now() where status = 'enabled'`
}

/** Returns everything that all merchants of a database share, as JSON: what the schema's functions and triggers do, and the service's settings. */
async function readState({ sql }: TestDatabase): Promise<string> {
  const [row] = await sql<{ state: string }[]>`
    select jsonb_build_object(
      'clock_now()', (select md5(pg_get_functiondef('clock_now()'::regprocedure))),
      'functions', (
        select md5(string_agg(pg_get_functiondef(oid), '' order by oid)) from pg_proc
         where pronamespace = 'public'::regnamespace and prokind in ('f', 'p') and proname <> 'clock_now'),
      'triggers', (
        select md5(string_agg(t.tgrelid::regclass || t.tgname || t.tgenabled::text, '' order by c.relname, t.tgname))
          from pg_trigger t join pg_class c on c.oid = t.tgrelid
         where not t.tgisinternal and not c.relispartition),
      'constraints', (
        select count(*) from pg_constraint o join pg_class c on c.oid = o.conrelid
         where c.relnamespace = 'public'::regnamespace and not c.relispartition),
      'stops of payouts', (
        select count(*) from payout_stops where scope <> 'merchant' and lifted_at is null),
      'connectors', (select count(*) from connectors),
      'routes', (select count(*) from routes),
      'circuits', (select count(*) from connector_circuits))::text as state`
  return row!.state
}

function differences(before: string, after: string): string {
  const [was, is] = [JSON.parse(before), JSON.parse(after)] as Record<string, unknown>[]
  return Object.keys(is!)
    .filter((key) => was![key] !== is![key])
    .join(', ')
}
