import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../log.ts'
import { addressOf, serversIn } from './addresses.ts'
import { cut } from './connection.ts'

/** The servers that may be the database, and which of them it is: the one that takes writes. */
export type Servers = {
  /** All of them, for a message: `one:5432, two:5432`. */
  readonly address: string
  /** The URL to connect to now. */
  current(): string
  /** Lets a new connection in, or throws: its server does not take writes, or no longer. Null with one server only. */
  readonly admit: ((client: pg.ClientBase, server: string) => Promise<void>) | null
  /** Something is wrong with the current one: looks now. Resolves when `current` says what was found. */
  doubt(): Promise<void>
  /** Tells whoever holds connections to a server that is gone to leave them. Returns what ends the telling. */
  onGone(listener: (isGone: (server: string) => boolean) => void): () => void
  /** Waits until one takes writes. False when `patience_ms` passed first; true at once with one server only. */
  ready(patience_ms: number): Promise<boolean>
  close(): Promise<void>
}

/** How one server stands. Timelines are counted up by each promotion, so that of two the higher is the newer. */
export type Standing = { takes_writes: boolean; timeline: number }

/** `commits_wait`: none is answered before a standby has it, so that the loss of one machine loses nothing. */
type Answer = Standing & { commits_wait: boolean }

/** How often each server is asked. */
const LOOK_MS = 1_000
/** A server that has not answered by then is away. */
const ANSWER_MS = 2_000
/** One that was silent for this long is given up with all that waits for it: who calls us must not hang. */
const SILENT_MS = 8_000

/** Opens what follows the servers of a URL; with one there is nothing to follow, and it costs nothing. */
export function openServers(url: string, log: Log | null = null): Servers {
  const servers = serversIn(url)
  return servers.length === 1 ? oneServer(servers[0]!) : followServers(servers, addressOf(url), log)
}

function oneServer(url: string): Servers {
  return {
    address: addressOf(url),
    current: () => url,
    admit: null,
    doubt: async () => {},
    onGone: () => () => {},
    ready: async () => true,
    close: async () => {},
  }
}

const STANDING = `
  select current_setting('transaction_read_only') = 'off' as takes_writes,
         case when pg_is_in_recovery() then 0
              else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint end as timeline,
         current_setting('synchronous_standby_names') <> ''
           and current_setting('synchronous_commit') not in ('off', 'local') as commits_wait`

/**
 * Which server to use, of those that answered; null: none of them, stay as you are. One that was promoted counts more
 * than the one it was promoted over, which may come back and take writes that nobody else will ever see; and never one
 * older than what we have worked with.
 */
export function chooseServer(
  answers: ReadonlyMap<string, Standing>,
  { current, timeline }: { current: string; timeline: number },
): { server: string; timeline: number } | null {
  let best: { server: string; timeline: number } | null = null
  for (const [server, standing] of answers) {
    if (!standing.takes_writes || standing.timeline < timeline) continue
    const better = best === null || standing.timeline > best.timeline
    const ours = best !== null && standing.timeline === best.timeline && server === current
    if (better || ours) best = { server, timeline: standing.timeline }
  }
  return best
}

function followServers(servers: readonly string[], address: string, log: Log | null): Servers {
  const scouts = new Map(servers.map((server) => [server, createScout(server)]))
  const listeners = new Set<(isGone: (server: string) => boolean) => void>()
  let known = { server: servers[0]!, timeline: 0 }
  let found = false
  /** Of the current one, as it was told last. */
  let commitsWait: boolean | null = null
  let heardAt = performance.now()

  async function lookOnce(): Promise<void> {
    const asked = await Promise.all(Array.from(scouts, async ([server, scout]) => [server, await scout.ask()] as const))
    const answers = new Map(asked.filter((one): one is [string, Answer] => one[1] !== null))
    const now = performance.now()
    const chosen = chooseServer(answers, { current: known.server, timeline: known.timeline })
    found = chosen !== null
    if (chosen !== null && chosen.server !== known.server) {
      const [from, to] = [addressOf(known.server), addressOf(chosen.server)]
      if (known.timeline > 0) log?.warn({ from, to }, 'the database has moved')
      known = chosen
      tellGone((server) => server !== chosen.server)
    } else if (chosen !== null) known = chosen
    if (chosen !== null) tellWhoWaits(chosen.server, answers.get(chosen.server)!)
    if (answers.has(known.server)) heardAt = now
    else if (now - heardAt > SILENT_MS) tellGone((server) => server === known.server)
  }

  /** Who names several servers means to lose nothing with one of them. One that was just promoted waits for nobody yet. */
  function tellWhoWaits(server: string, { commits_wait }: Answer): void {
    const at = { server: addressOf(server) }
    if (!commits_wait && commitsWait !== false)
      log?.warn(at, 'commits wait for no standby: the loss of this server loses some')
    if (commits_wait && commitsWait === false) log?.info(at, 'commits wait for a standby')
    commitsWait = commits_wait
  }

  function tellGone(isGone: (server: string) => boolean): void {
    for (const listener of listeners) listener(isGone)
  }

  let looking: Promise<void> | null = null
  const look = () => {
    looking ??= lookOnce().finally(() => {
      looking = null
    })
    return looking
  }
  const timer = setInterval(() => void look(), LOOK_MS).unref()

  return {
    address,
    current: () => known.server,
    async admit(client, server) {
      const standing = await readStanding(client)
      if (chooseServer(new Map([[server, standing]]), { current: server, timeline: known.timeline }) === null) {
        throw new Error(`The server at ${addressOf(server)} does not take writes.`)
      }
    },
    doubt: look,
    onGone(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async ready(patience_ms) {
      const end = performance.now() + patience_ms
      for (;;) {
        await look()
        if (found || performance.now() > end) return found
        await sleep(100)
      }
    },
    async close() {
      clearInterval(timer)
      await looking
      for (const scout of scouts.values()) scout.close()
    },
  }
}

async function readStanding(client: pg.ClientBase): Promise<Answer> {
  const { rows } = await client.query<Omit<Answer, 'timeline'> & { timeline: string }>(STANDING)
  return { ...rows[0]!, timeline: Number(rows[0]!.timeline) }
}

/** Asks one server how it stands, over a connection that it keeps; null when there is no answer in time. */
function createScout(server: string) {
  let kept: pg.Client | null = null

  async function connected(): Promise<pg.Client> {
    if (kept !== null) return kept
    const fresh = new pg.Client({
      connectionString: server,
      application_name: 'bandama lookout',
      connectionTimeoutMillis: ANSWER_MS,
    })
    fresh.on('error', () => lose(fresh))
    fresh.on('end', () => lose(fresh))
    kept = fresh
    await fresh.connect()
    // It keeps no process alive.
    ;(fresh as unknown as { unref(): void }).unref()
    return fresh
  }

  function lose(client: pg.Client): void {
    if (kept === client) kept = null
    cut(client)
  }

  return {
    async ask(): Promise<Answer | null> {
      const cancel = new AbortController()
      const late = sleep(ANSWER_MS, null, { signal: cancel.signal }).catch(() => null)
      const answer = connected()
        .then(readStanding)
        .catch(() => null)
      const standing = await Promise.race([answer, late])
      cancel.abort()
      // Whatever kept it from answering, a new connection is the surer one.
      if (standing === null && kept !== null) lose(kept)
      return standing
    },
    close() {
      if (kept !== null) lose(kept)
    },
  }
}
