import { readFile } from 'node:fs/promises'
import { openDatabase, type Sql } from '../../src/platform/postgres/database.ts'

// A run on a Citus cluster: TEST_DATABASE_URL names the coordinator, and TEST_CITUS_NODES the other servers, as URLs with commas between
// them. Each has Citus and the settings of docs/scaling.md. A person starts them by hand, because no distribution has packages of Citus.

/** The servers besides the coordinator. */
const nodes = (process.env.TEST_CITUS_NODES ?? '').split(',').filter((url) => url !== '')

/** Whether the run has a cluster. */
export const isCitus = nodes.length > 0

const deployed = new URL('../../deploy/citus.sql', import.meta.url)

/** Runs work on the coordinator, then on the other servers, if there are any. */
export async function onEachServer(coordinator: string, work: (server: string) => Promise<unknown>): Promise<void> {
  for (const server of [coordinator, ...nodes]) await work(server)
}

/** Joins the databases of one name on all servers to a cluster. With a single server it does nothing. */
export async function joinCluster(url: string): Promise<void> {
  if (!isCitus) return
  for (const node of nodes) await onDatabase(ofTheSameName(node, url), (sql) => sql`create extension citus`)
  await onDatabase(url, async (sql) => {
    await sql`create extension citus`
    const { hostname, port } = new URL(url)
    await sql`select citus_set_coordinator_host(${hostname}, ${Number(port)})`
    for (const node of nodes) {
      const { hostname, port } = new URL(node)
      await sql`select citus_add_node(${hostname}, ${Number(port)})`
    }
  })
}

/** Distributes the tables by merchant, as in an installation. With a single server it does nothing. */
export async function distribute(url: string): Promise<void> {
  if (!isCitus) return
  await onDatabase(url, async (sql) => sql.unsafe(await readDistribution()))
}

/** Reads the SQL that distributes the tables. Empty with a single server. */
export async function readDistribution(): Promise<string> {
  return isCitus ? await readFile(deployed, 'utf8') : ''
}

async function onDatabase(url: string, work: (sql: Sql) => PromiseLike<unknown>): Promise<void> {
  const sql = openDatabase({ url, connections: 1, name: 'cluster' })
  try {
    // Tables with all their partitions and shards take longer than the service's statement timeout.
    await sql.unsafe('set statement_timeout = 0; set lock_timeout = 0')
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function ofTheSameName(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = new URL(database).pathname
  return url.href
}
