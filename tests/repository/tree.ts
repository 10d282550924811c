import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** One of our files. `path` is relative to the root, with slashes. `text` is null for a binary file. */
export type TreeFile = { readonly path: string; readonly text: string | null }

/** Folders that are not ours or not committed: the names of .gitignore. */
const notOurs = new Set(['node_modules', 'dist', '.git', '.data', 'artefacts'])

/** The extensions of binary files. A file without an extension (LICENSE, bin/bandama) is text. */
const binary = new Set(['.png', '.ico', '.woff2', '.gz'])

/**
 * Returns every file of the repository, in a stable order. It reads the folders and not git, so that it works on a copy without history.
 */
export async function readTree(): Promise<TreeFile[]> {
  const files: TreeFile[] = []
  async function walk(folder: string): Promise<void> {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (notOurs.has(entry.name) || entry.name.endsWith('.log')) continue
      const whole = join(folder, entry.name)
      if (entry.isDirectory()) await walk(whole)
      else {
        const text = binary.has(extname(entry.name)) ? null : await readFile(whole, 'utf8')
        files.push({ path: relative(root, whole).split(sep).join('/'), text })
      }
    }
  }
  await walk(root)
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Returns the files with a matching path, with their text. */
export function textsOf(files: readonly TreeFile[], path: RegExp): { path: string; text: string }[] {
  return files.filter((file): file is { path: string; text: string } => file.text !== null && path.test(file.path))
}

/** Returns each matching line as `path:line`, so that a terminal can link it. */
export function linesMatching(files: readonly { path: string; text: string }[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1} ${line.trim().slice(0, 120)}`] : [])),
  )
}

/** Removes the comments of a text and keeps its number of lines. It suffices for our formatted code. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, '')).replace(/(^|\s)\/\/.*$/gm, '$1')
}
