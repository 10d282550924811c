import { readdir, readFile, stat } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'

const MB = 2 ** 20
const GB = 2 ** 30

/** What a new cluster is made with. Data that fits in it needs no more. */
export const FIRST_MEMORY = { shared_buffers: '128MB', max_wal_size: '2GB' } as const

/** Of the machine's memory the server takes at most this part for pages; the rest is the system's cache and everybody else's. */
const PART = 1 / 4
/** More pages than this are looked after at a price of their own. */
const SHARED_MAX = 16 * GB
const WAL_MAX = 16 * GB

/**
 * What a cluster that has grown is given at its next start: memory for as much of its data as a quarter of the machine's
 * holds, and fewer checkpoints, because after each one every page that is written goes to the log whole. A setting that the
 * machine's owner changed, in `postgresql.conf` or by `alter system`, is left as it is.
 * @param data PostgreSQL's own folder
 */
export async function memoryFor(data: string): Promise<Readonly<Record<string, string>>> {
  const size = await sizeOf(join(data, 'base'))
  // Zero, or more than there is, when no limit is set (a container does).
  const machine = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
  const grown = {
    shared_buffers: Math.min(size, machine * PART, SHARED_MAX),
    max_wal_size: Math.min(size / 8, WAL_MAX),
  }
  const first = { shared_buffers: 128 * MB, max_wal_size: 2 * GB }
  // The second is what `alter system` writes, and counts for more.
  const files = ['postgresql.conf', 'postgresql.auto.conf'].map((file) =>
    readFile(join(data, file), 'utf8').catch(() => ''),
  )
  const conf = (await Promise.all(files)).join('\n')
  const names = Object.keys(FIRST_MEMORY) as (keyof typeof FIRST_MEMORY)[]
  const larger = names.filter((name) => grown[name] > first[name] && valueIn(conf, name) === FIRST_MEMORY[name])
  return Object.fromEntries(larger.map((name) => [name, `${Math.floor(grown[name] / MB)}MB`]))
}

/** The last line counts. */
function valueIn(conf: string, name: string): string | undefined {
  const lines = [...conf.matchAll(new RegExp(`^\\s*${name}\\s*=?\\s*'?([^'#\\s]+)`, 'gm'))]
  return lines.at(-1)?.[1]
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
