import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { cpus, release, tmpdir, totalmem } from 'node:os'
import { promisify } from 'node:util'
import type { Sql } from '../src/platform/postgres/database.ts'

const run = promisify(execFile)

export type Card = Record<'cores' | 'memory' | 'disk' | 'kernel' | 'node' | 'postgresql' | 'commit', string>

/** Describes the machine of a measurement, without its name. */
export async function machineCard(sql: Sql): Promise<Card> {
  const [row] = await sql<{ version: string }[]>`select current_setting('server_version') as version`
  const { stdout } = await run('git', ['rev-parse', '--short', 'HEAD']).catch(() => ({ stdout: 'unknown' }))
  return {
    cores: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    disk: await diskUnder(tmpdir()),
    kernel: `Linux ${release()}`,
    node: process.version,
    postgresql: row!.version,
    commit: stdout.trim(),
  }
}

/** The disk and the file system of a folder, such as `virtual disk, ext4`. */
async function diskUnder(folder: string): Promise<string> {
  const { stdout } = await run('df', ['--output=source,fstype', folder]).catch(() => ({ stdout: '' }))
  const [source = '', filesystem = 'unknown'] = stdout.split('\n')[1]?.split(/\s+/) ?? []
  const device = source.replace(/^\/dev\//, '')
  // Only a disk has a queue, a partition has none.
  const disk = device.startsWith('nvme') ? device.replace(/p\d+$/, '') : device.replace(/\d+$/, '')
  if (disk.startsWith('vd')) return `virtual disk, ${filesystem}`
  const turns = await readFile(`/sys/block/${disk}/queue/rotational`, 'utf8').catch(() => null)
  const kind = turns === null ? 'unknown' : turns.trim() === '1' ? 'spinning disk' : 'solid state'
  return `${kind}, ${filesystem}`
}
