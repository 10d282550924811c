import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** One file of ours. `path` is relative to the root, with slashes; `text` is null for what is not text. */
export type TreeFile = { readonly path: string; readonly text: string | null }

/** Not ours, or not kept: the same names as in .gitignore. */
const notOurs = new Set(['node_modules', '.git', '.data', 'artefacts'])

/** Endings of files that are not text. A file without an ending (LICENSE, bin/bandama) is text. */
const binary = new Set(['.png', '.ico', '.woff2', '.gz'])

/**
 * Every file of the repository, in a stable order. It walks the folder rather than asking git, so that a copy without
 * its history can be checked too.
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

/** The files whose path matches, with their text. */
export function textsOf(files: readonly TreeFile[], path: RegExp): { path: string; text: string }[] {
  return files.filter((file): file is { path: string; text: string } => file.text !== null && path.test(file.path))
}

/** Each line that matches, as `path:line`, so that a failure can be clicked. */
export function linesMatching(files: readonly { path: string; text: string }[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1} ${line.trim().slice(0, 120)}`] : [])),
  )
}

/** The text without its comments, with as many lines as before. Good enough for our own formatted code. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, '')).replace(/(^|\s)\/\/.*$/gm, '$1')
}
