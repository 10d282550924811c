import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../..', import.meta.url))

let file = relative(project, process.argv[1] ?? '')

/** The counts of this file, such as its telephone numbers. */
const counted = new Map<string, number>()

/** Returns the path of the test file that runs in this process, from the project's folder. */
export function currentFile(): string {
  return file
}

/** Counts up in this file. Returns 1 at first. */
export function countInFile(what: string): number {
  const count = (counted.get(what) ?? 0) + 1
  counted.set(what, count)
  return count
}

/** Begins the next one of the files that share this process. */
export function beginFile(next: string): void {
  file = next
  counted.clear()
}
