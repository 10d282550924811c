import { readFile } from 'node:fs/promises'
import { openDatabase, type Sql } from '../../src/platform/postgres/database.ts'

// A run against a Citus cluster: TEST_DATABASE_URL names the coordinator and TEST_CITUS_NODES the other servers, by their
// URLs with a comma between. Each has Citus installed and what docs/scaling.md asks for. Nothing here starts them: Citus is
// in no distribution's packages, so such a run is made by hand.

/** Servers beside the coordinator. */
const nodes = (process.env.TEST_CITUS_NODES ?? '').split(',').filter((url) => url !== '')

/** Whether the run has a cluster. */
export const isCitus = nodes.length > 0

const deployed = new URL('../../deploy/citus.sql', import.meta.url)

/** On the coordinator, then on the other servers, where there are any. */
export async function onEachServer(coordinator: string, work: (server: string) => Promise<unknown>): Promise<void> {
  for (const server of [coordinator, ...nodes]) await work(server)
}

/** Makes databases of the same name on all servers one cluster. Nothing where there is only one server. */
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

/** Spreads the tables by merchant, as an installation does. Nothing where there is only one server. */
export async function distribute(url: string): Promise<void> {
  if (!isCitus) return
  await onDatabase(url, async (sql) => sql.unsafe(await readDistribution()))
}

/** How tables are spread, in SQL; empty where there is only one server. */
export async function readDistribution(): Promise<string> {
  return isCitus ? await readFile(deployed, 'utf8') : ''
}

async function onDatabase(url: string, work: (sql: Sql) => PromiseLike<unknown>): Promise<void> {
  const sql = openDatabase({ url, connections: 1, name: 'cluster' })
  try {
    // Tables with all their partitions and shards take longer than a statement of the service may.
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
