import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { type PackageFiles, readTypeScriptPackage } from '../../src/sdk/package-files.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { openScripted, page, silence } from './scripted-server.ts'

// Of the night: one program on every runtime, and the checks of packages by others. The runtimes are packages of sdk/tests, which this file installs; a
// runtime that cannot be installed here is skipped, and said.

const run = promisify(execFile)
const lab = fileURLToPath(new URL('../../sdk/tests/', import.meta.url))
const tool = (name: string) => join(lab, 'node_modules/.bin', name)
const older = (major: number) => join(lab, `node_modules/node-${major}/bin/node`)

let installation: Installation
let folder: string
let written: PackageFiles
let options: string
let entry: string
const servers: AsyncDisposable[] = []

if (!existsSync(tool('publint'))) {
  const words = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts']
  await run('npm', words, { cwd: lab }).catch(({ stderr }) =>
    process.stdout.write(`sdk/tests not installed: ${stderr}\n`),
  )
  // The only package whose own script puts its program in its place.
  if (existsSync(tool('bun'))) await run(process.execPath, ['install.js'], { cwd: join(lab, 'node_modules/bun') })
}

before(async () => {
  installation = await openInstallation()
  folder = await mkdtemp(join(tmpdir(), 'bandama-runtimes-'))
  const { address } = installation.services[0]!
  written = await readTypeScriptPackage({ origin: address, brand_name: 'Bandama' })
  for (const [path, bytes] of written.files) {
    const file = join(folder, 'node_modules/bandama', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
  }
  const { key } = await installation.newMerchant()
  const silent = await openScripted(silence)
  const moved = await openScripted(page(301, { Location: 'https://pay.example.ci/' }))
  servers.push(silent, moved)
  options = JSON.stringify({ key, silent: silent.url, moved: moved.url })
  await cp(fileURLToPath(new URL('probe.js', import.meta.url)), join(folder, 'probe.mjs'))
  const { packages } = (await installation.ask({ path: '/sdk' })).json() as {
    packages: { name: string; url: string }[]
  }
  entry = packages.find(({ name }) => name === 'js')!.url
  await writeProgram('main.mjs', (name) => (name === 'index' ? 'bandama' : `bandama/${name}`))
  await writeProgram('served.mjs', (name) => new URL(`${name}.js`, entry).href)
})
after(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]()
  await installation[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function writeProgram(file: string, from: (name: string) => string): Promise<void> {
  const names = ['index', 'webhooks', 'edge', 'test']
  const imports = names.map((name) => `import * as ${name} from '${from(name)}'\n`).join('')
  const call = `export const seen = () => probe(index, webhooks, edge, test, ${options})`
  const text = `${imports}import { probe } from './probe.mjs'\n${call}\n`
  await writeFile(join(folder, file), text)
  await writeFile(
    join(folder, `run-${file}`),
    `import { seen } from './${file}'\nconsole.log(JSON.stringify(await seen()))\n`,
  )
}

async function resultOf(program: string, words: string[]): Promise<unknown> {
  const { stdout } = await run(program, words, { cwd: folder, timeout: 60_000 })
  return JSON.parse(stdout)
}

/** The result on the Node of this project, which every other runtime must equal. */
async function expected() {
  const seen = (await resultOf(process.execPath, ['run-main.mjs'])) as Record<string, unknown>
  assert.deepEqual([seen.same, seen.outcome, seen.statuses], [true, 'paid', [204, 400]])
  assert.deepEqual(seen.followed, ['payment.succeeded'])
  return seen
}

const skipped = (path: string) => (existsSync(path) ? false : `${path} is not installed; npm install in sdk/tests`)

for (const major of [20, 22, 24]) {
  test(`Node ${major} sees the same`, { skip: skipped(older(major)) }, async () => {
    assert.deepEqual(await resultOf(older(major), ['run-main.mjs']), await expected())
  })
}

test('Bun sees the same', { skip: skipped(tool('bun')) }, async () => {
  assert.deepEqual(await resultOf(tool('bun'), ['run', 'run-main.mjs']), await expected())
})

test('Deno sees the same, with the modules from the address of the service, and with their types', {
  skip: skipped(tool('deno')),
}, async () => {
  assert.deepEqual(
    await resultOf(tool('deno'), ['run', '--quiet', '--allow-net', '--allow-import', 'run-served.mjs']),
    await expected(),
  )
  const typed = `import { Bandama } from '${entry}'\nconst client: Bandama = new Bandama({ key: 'x' })\nconst n: number = (await client.balances()).available\nconsole.log(n)\n`
  await writeFile(join(folder, 'typed.ts'), typed)
  await run(tool('deno'), ['check', '--quiet', '--allow-import', 'typed.ts'], { cwd: folder })
  await writeFile(join(folder, 'wrong.ts'), typed.replace(': number', ': string'))
  await assert.rejects(
    run(tool('deno'), ['check', '--quiet', '--allow-import', 'wrong.ts'], { cwd: folder }),
    /not assignable/,
  )
})

test('workerd sees the same', { skip: skipped(tool('workerd')) }, async () => {
  const worker =
    "import { seen } from './main.mjs'\nexport default { fetch: async () => Response.json(await seen()) }\n"
  await writeFile(join(folder, 'worker.mjs'), worker)
  const outfile = join(folder, 'worker.js')
  await build({ entryPoints: [join(folder, 'worker.mjs')], outfile, bundle: true, format: 'esm', logLevel: 'error' })
  const port = await freePort()
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["local", "private", "public"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const main :Workerd.Worker = (modules = [(name = "main", esModule = embed "worker.js")], compatibilityDate = "2026-01-01");
`
  await writeFile(join(folder, 'config.capnp'), config)
  // A group of its own: its command only starts the program, which would outlive it and hold this run's output open.
  const child = spawn(tool('workerd'), ['serve', 'config.capnp'], { cwd: folder, stdio: 'inherit', detached: true })
  try {
    const answer = await waitFor(() => fetch(`http://127.0.0.1:${port}/`).catch(() => null))
    assert.equal(answer.status, 200)
    assert.deepEqual(await answer.json(), await expected())
  } finally {
    process.kill(-child.pid!, 'SIGKILL')
  }
})

test('publint and attw find no fault in the package', { skip: skipped(tool('publint')) }, async () => {
  const packed = join(folder, 'node_modules/bandama')
  await run(tool('publint'), ['--strict', packed]).catch(({ stdout, stderr }) => assert.fail(stdout + stderr))
  await run(tool('attw'), ['--pack', packed, '--profile', 'node16', '--no-definitely-typed'], { cwd: folder }).catch(
    ({ stdout, stderr }) => assert.fail(stdout + stderr),
  )
})
