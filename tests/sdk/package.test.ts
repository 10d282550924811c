import assert from 'node:assert/strict'
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { buildPackage } from '../../sdk/typescript/build.ts'
import { version } from '../../sdk/typescript/src/home.ts'

const folder = fileURLToPath(new URL('../../sdk/typescript/', import.meta.url))

async function textsIn(dist: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const name of (await Array.fromAsync(glob('**/*.*', { cwd: dist }))).sort())
    texts[name] = await readFile(join(dist, name), 'utf8')
  return texts
}

test('dist/ is what the sources compile to', async () => {
  const fresh = await mkdtemp(join(tmpdir(), 'bandama-sdk-'))
  try {
    await buildPackage(fresh)
    const texts = await textsIn(fresh)
    assert.ok(Object.keys(texts).length > 60)
    assert.deepEqual(await textsIn(join(folder, 'dist')), texts, 'run `npm run derive`')
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
})

/** Bytes of an entry as a bundler ships it. */
async function sizeOf(entry: string): Promise<number> {
  const { outputFiles } = await build({
    ...{ entryPoints: [join(folder, 'dist/esm', entry)], bundle: true, minify: true, write: false },
    ...{ format: 'esm', platform: 'neutral' },
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

test('the client ships in 6 kB and the webhooks in 2 kB', async () => {
  const [core, webhooks] = [await sizeOf('index.js'), await sizeOf('webhooks.js')]
  assert.ok(core <= 6_000, `${core} bytes`)
  assert.ok(webhooks <= 2_000, `${webhooks} bytes`)
})

test('the package needs no other, and says its version in one place', async () => {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
  assert.equal(manifest.version, version)
  assert.deepEqual(
    Object.keys(manifest).filter((name) => /dependencies/i.test(name)),
    [],
  )
})

test('CommonJS and ES modules have the same names, each in its form', async () => {
  const require = createRequire(import.meta.url)
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { exports: object }
  const entries = Object.keys(manifest.exports).filter((path) => path !== './package.json')
  assert.ok(entries.length > 7)
  for (const path of entries) {
    const entry = path === '.' ? 'index' : path.slice(2)
    const common = require(join(folder, `dist/cjs/${entry}.js`)) as object
    const module = (await import(join(folder, `dist/esm/${entry}.js`))) as object
    assert.deepEqual(Object.keys(common).sort(), Object.keys(module).sort(), entry)
    assert.notEqual(Object.keys(module).length, 0)
  }
})
