import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../platform/config.ts'

/** The content of `service.json` in the data folder while the service runs. */
export type ServiceNote = {
  /** The address on which the API listens. */
  address: string
  pid: number
}

function pathOf({ data_dir }: Pick<Config, 'data_dir'>): string {
  return join(data_dir, 'service.json')
}

/** Whether this service uses its data folder. With an external database it may have none, or share one with others. */
function usesDataDir({ database_url, demo }: Config): boolean {
  return database_url === null || demo
}

/** Tells commands on this machine where the service listens. Returns a function that removes the file. */
export async function writeServiceNote(config: Config, note: ServiceNote): Promise<() => Promise<void>> {
  if (!usesDataDir(config)) return async () => {}
  const path = pathOf(config)
  // Write beside it and rename, because a command may read it at the same moment.
  await writeFile(`${path}.new`, `${JSON.stringify(note)}\n`, { mode: 0o644 })
  await rename(`${path}.new`, path)
  return async () => {
    // Another process may have replaced the file since.
    if ((await readNote(config))?.pid === note.pid) await rm(path, { force: true })
  }
}

/** Where the service of this data folder listens. Null when none runs, also when one was killed and left its file. */
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
    // Absent or damaged: the command uses the settings to find the service.
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
