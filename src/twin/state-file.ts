import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { emptyState, type TwinState } from './state.ts'

/** The state's file. Without one everything is forgotten at the end. */
export type StateFile = {
  /** Notes that something has changed: it is written within a second. */
  changed(): void
  /** Writes what is not written yet. */
  close(): Promise<void>
}

const WRITE_MS = 1000

/**
 * @param path null: no file
 * @throws Error for a file that holds something else than a state
 */
export async function openStateFile(path: string | null): Promise<{ state: TwinState; file: StateFile }> {
  const state = path === null ? emptyState() : await read(path)
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()

  function write(): void {
    timer = null
    const text = JSON.stringify(state)
    writing = writing.then(() => replace(path!, text))
  }

  return {
    state,
    file: {
      changed() {
        if (path !== null) timer ??= setTimeout(write, WRITE_MS)
      },
      async close() {
        if (timer !== null) clearTimeout(timer)
        if (path !== null) write()
        await writing
      },
    },
  }
}

async function read(path: string): Promise<TwinState> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return emptyState()
  const found = JSON.parse(text) as TwinState
  if (typeof found?.operations !== 'object' || !Array.isArray(found.journal))
    throw new Error(`${path} is not the state of a twin.`)
  return { ...emptyState(), ...found }
}

/** As a whole or not at all, whenever we are ended. */
async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
