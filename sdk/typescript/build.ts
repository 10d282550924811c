import { execFile } from 'node:child_process'
import { glob, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

// Compiles the package into dist/, as ES modules and as CommonJS, with their types. The folder is committed: an instance packs it without a
// compiler, and a test compares it with a fresh build.

const run = promisify(execFile)
const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

const commonJs = ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false']

/** Compiles into a folder, in place of what it holds. */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const compile = (form: string, words: string[]) =>
    run(join(root, 'node_modules/.bin/tsc'), ['-p', here, '--outDir', join(folder, form), ...words])
  await Promise.all([compile('esm', []), compile('cjs', commonJs), bundleCommand(join(folder, 'bdm.js'))])
  await writeFile(join(folder, 'esm/package.json'), '{ "type": "module" }\n')
  await writeFile(join(folder, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  // The compiler renames imports in code and not in types. Deno asks for the files by these names.
  for await (const file of glob(join(folder, '*/*.d.ts'))) {
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
  }
}

/** Writes the command line as one file, which needs nothing beside Node. */
async function bundleCommand(outfile: string): Promise<void> {
  await build({
    ...{ entryPoints: [join(here, 'bdm/main.ts')], outfile, bundle: true, legalComments: 'none', logLevel: 'warning' },
    ...{ format: 'esm', platform: 'node', target: 'node20', charset: 'utf8', banner: { js: '#!/usr/bin/env node' } },
    absWorkingDir: here,
  })
}

if (import.meta.main) await buildPackage(join(here, 'dist'))
