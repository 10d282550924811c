import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { emptyState, type TwinState } from './state.ts'

/** The file of the state. Without a file the state is lost at the end. */
export type StateFile = {
  /** Marks the state as changed. It is written within a second. */
  changed(): void
  /** Writes the unwritten changes. */
  close(): Promise<void>
}

const WRITE_MS = 1000

/**
 * @param path null: no file
 * @throws Error if the file contains no state
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

/** Writes the file whole or not at all, even if the process is killed. */
async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
