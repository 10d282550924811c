import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from '../src/platform/postgres/database.ts'

/** The resources that the database and the service have used so far. The difference of two is the cost of the time between them. */
export type Usage = {
  service_cpu_ms: number
  database_cpu_ms: number
  statements: number
  commits: number
  wal_bytes: number
  disk_bytes: number
}

/** @param service the process id of the service; its descendants count too */
export async function readUsage(sql: Sql, service: number): Promise<Usage> {
  const [row] = await sql<{ statements: number; commits: number; wal_bytes: number; disk_bytes: number }[]>`
    select (select coalesce(sum(calls), 0) from pg_stat_statements)::bigint as statements,
           (select xact_commit from pg_stat_database where datname = current_database()) as commits,
           pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as wal_bytes,
           pg_database_size(current_database()) as disk_bytes`
  const postmaster = await postmasterOf(sql)
  return { service_cpu_ms: await cpuOfTree(service), database_cpu_ms: await cpuOfTree(postmaster), ...row! }
}

export async function postmasterOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ folder: string }[]>`
    select setting as folder from pg_settings where name = 'data_directory'`
  return Number((await readFile(join(row!.folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10

/** Milliseconds of processor time of a process and its descendants, those that have ended included. */
export async function cpuOfTree(root: number): Promise<number> {
  const tree = await processesUnder(root)
  const ticks = tree.map(({ fields }) => [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0))
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS
}

/** Bytes of memory in use by a process and its descendants. Pages that they share count for each. */
export function memoryOfTree(root: number): Promise<number> {
  return sumOfTree(root, 'VmRSS')
}

/** Resets the peak memory of each of them to its present memory. */
export async function forgetPeakOfTree(root: number): Promise<void> {
  await Promise.all((await processesUnder(root)).map(({ pid }) => writeFile(`/proc/${pid}/clear_refs`, '5')))
}

/** The sum of the peaks of memory of each of them, since its start or the last reset, as Linux records them. */
export function peakMemoryOfTree(root: number): Promise<number> {
  return sumOfTree(root, 'VmHWM')
}

async function sumOfTree(root: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const sizes = (await processesUnder(root)).map(async ({ pid }) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024
  })
  return (await Promise.all(sizes)).reduce((sum, each) => sum + each, 0)
}

/** A process with the fields of its /proc/<pid>/stat, from the third (its state) on. */
type Process = { pid: number; fields: string[] }

async function processesUnder(root: number): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const all = (await Promise.all(pids.map(readProcess))).filter((found) => found !== null)
  const children = Map.groupBy(all, ({ fields }) => Number(fields[1]))
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

async function readProcess(pid: number): Promise<Process | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return text === null ? null : { pid, fields: text.slice(text.lastIndexOf(')') + 2).split(' ') }
}
