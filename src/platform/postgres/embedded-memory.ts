import { readdir, readFile, stat, statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'

const MB = 2 ** 20
const GB = 2 ** 30

/** What a new cluster is made with; what it is started with is said below. */
export const FIRST_MEMORY = { shared_buffers: '128MB', max_wal_size: '2GB' } as const

/** So much even before there is data for it: a page is taken from the machine when the first of the data comes to it. */
const SHARED_MIN = GB
/** Of the machine's memory the server takes at most this part for pages; the rest is the system's cache and everybody else's. */
const PART = 1 / 4
/** More pages than this are looked after at a price of their own. */
const SHARED_MAX = 16 * GB
const WAL_MAX = 16 * GB
/** The log takes at most this part of the disk that is free. */
const FREE_PART = 1 / 4

/**
 * What a cluster is given at its start over what it was made with: memory for a gigabyte of data, or as much as it has, where a
 * quarter of the machine's holds it; a longer log as it grows, for fewer checkpoints, because after each one every page that is written goes to the log
 * whole; and the library that reads again what was in memory when the server was stopped, or each page would be waited for by
 * somebody's payment. What the machine's owner set, in `postgresql.conf` or by `alter system`, is left as it is.
 * @param data PostgreSQL's own folder
 * @param program the server's, beside which its libraries are
 */
export async function memoryFor(data: string, program: string): Promise<Readonly<Record<string, string>>> {
  const size = await sizeOf(join(data, 'base'))
  // Zero, or more than there is, when no limit is set (a container does).
  const machine = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
  const grown = {
    shared_buffers: Math.min(Math.max(size, SHARED_MIN), machine * PART, SHARED_MAX),
    max_wal_size: Math.min(size / 8, (await freeFor(join(data, 'pg_wal'))) * FREE_PART, WAL_MAX),
  }
  const first = { shared_buffers: 128 * MB, max_wal_size: 2 * GB }
  // The second is what `alter system` writes, and counts for more.
  const files = ['postgresql.conf', 'postgresql.auto.conf'].map((file) =>
    readFile(join(data, file), 'utf8').catch(() => ''),
  )
  const conf = (await Promise.all(files)).join('\n')
  const names = Object.keys(FIRST_MEMORY) as (keyof typeof FIRST_MEMORY)[]
  const larger = names.filter((name) => grown[name] > first[name] && valueIn(conf, name) === FIRST_MEMORY[name])
  const memory = Object.fromEntries(larger.map((name) => [name, `${Math.floor(grown[name] / MB)}MB`]))
  const rereads = !namesLibraries(conf) && (await hasLibrary(program, 'pg_prewarm'))
  return rereads ? { ...memory, shared_preload_libraries: 'pg_prewarm' } : memory
}

/** The last line counts. */
function valueIn(conf: string, name: string): string | undefined {
  const lines = [...conf.matchAll(new RegExp(`^\\s*${name}\\s*=?\\s*'?([^'#\\s]+)`, 'gm'))]
  return lines.at(-1)?.[1]
}

/** Whether the owner may have set libraries to be loaded, here or in a file that is included. */
function namesLibraries(conf: string): boolean {
  return /^\s*(shared_preload_libraries|include(_dir|_if_exists)?)\b/im.test(conf)
}

/** Not every machine's PostgreSQL brings every library, and without one that it is told of a server does not start. */
async function hasLibrary(program: string, name: string): Promise<boolean> {
  const files = await readdir(join(dirname(program), '..', 'lib', 'postgresql')).catch(() => [])
  return files.some((file) => file.startsWith(`${name}.`))
}

/** Bytes free on the disk of this folder; none when that cannot be said. */
async function freeFor(folder: string): Promise<number> {
  const disk = await statfs(folder).catch(() => null)
  return disk === null ? 0 : disk.bavail * disk.bsize
}

/** Bytes of the files under a folder; one that goes meanwhile counts for nothing. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0
  }
  return bytes
}
