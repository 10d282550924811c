import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../platform/config.ts'

/** The content of `service.json` in the data folder while the service runs. */
export type ServiceNote = {
  /** Where the API listens. */
  address: string
  pid: number
}

function pathOf({ data_dir }: Pick<Config, 'data_dir'>): string {
  return join(data_dir, 'service.json')
}

/** Whether this service keeps anything in its data folder. On a server of one's own it may have none, and several may share one. */
function usesDataDir({ database_url, demo }: Config): boolean {
  return database_url === null || demo
}

/** Tells commands on this machine where the service is. Returns what takes it back. */
export async function writeServiceNote(config: Config, note: ServiceNote): Promise<() => Promise<void>> {
  if (!usesDataDir(config)) return async () => {}
  const path = pathOf(config)
  // Whole or not at all: a command may read it in this moment.
  await writeFile(`${path}.new`, `${JSON.stringify(note)}\n`, { mode: 0o644 })
  await rename(`${path}.new`, path)
  return async () => {
    // Unless it is another's by now.
    if ((await readNote(config))?.pid === note.pid) await rm(path, { force: true })
  }
}

/** Where the service of this data folder listens; null when none runs, also when one was killed and left its note. */
export async function readServiceNote(config: Config): Promise<ServiceNote | null> {
  if (!usesDataDir(config)) return null
  const note = await readNote(config)
  return note !== null && isAlive(note.pid) ? note : null
}

async function readNote(config: Config): Promise<ServiceNote | null> {
  try {
    const { address, pid } = JSON.parse(await readFile(pathOf(config), 'utf8')) as Partial<ServiceNote>
    return typeof address === 'string' && URL.canParse(address) && Number.isInteger(pid) ? { address, pid: pid! } : null
  } catch {
    // Absent or damaged: nobody is told anything, and the service is found by its settings as before.
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
