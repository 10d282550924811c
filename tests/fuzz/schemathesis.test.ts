import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { given } from '../harness/seed.ts'

// Schemathesis (PyPI) makes requests from openapi.json, good and bad, alone and one after the other by the links of hooks.py, and compares each
// answer with its schema, its status, its type and its headers. It is installed into a folder that the run deletes.

const run = promisify(execFile)

/** The settings of the tool, which it reads in the folder where it leaves its own files. */
const SETTINGS = ['schemathesis.toml', 'hooks.py']
const REPORTS = fileURLToPath(new URL('../artefacts/fuzz/', import.meta.url))
const VERSION = '4.32.5'
const seed = given ?? randomInt(1_000_000_000)
/** Requests for each operation in each phase. A night makes more than a try at noon. */
const EXAMPLES = process.env.FUZZ_EXAMPLES ?? '40'

/** Nothing may refuse a request for its rate, and no worker may be slower than the checks of a recipient. */
const limits = {
  RATE_PER_KEY: '1000000',
  RATE_PER_ADDRESS: '1000000',
  PAYER_ATTEMPTS_MAX: '1000000',
  RECIPIENT_CHECKS_PER_MERCHANT: '1000000',
}

let folder: string
let installation: Installation
let keys: { collect_test: string; payout_test: string }
/** Why it cannot run here, or null. */
let missing: string | null
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bandama-fuzz-'))
  await Promise.all(SETTINGS.map((name) => copyFile(new URL(name, import.meta.url), join(folder, name))))
  missing = await install()
  if (missing !== null) return
  const env = { ...limits, DEMO: 'on', DATA_DIR: folder, SIMULATOR_DELAY_MS: '0' }
  installation = await openInstallation({ env })
  const demo = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as {
    merchant_id: number
    keys: typeof keys
  }
  keys = demo.keys
  const words = ['--merchant', String(demo.merchant_id), '--mode', 'test']
  await installation.bandama('deposit', ...words, '--amount', '100000000')
})
after(async () => {
  await installation?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Installs the tool. Returns why that is not possible here, or null. */
async function install(): Promise<string | null> {
  try {
    await run('python3', ['-m', 'venv', join(folder, 'venv')])
  } catch (error) {
    return `there is no python3 with venv: ${firstLine(error)}`
  }
  try {
    const pip = ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`]
    await run(join(folder, 'venv/bin/pip'), pip, { timeout: 240_000 })
    return null
  } catch (error) {
    return `schemathesis ${VERSION} cannot be installed: ${firstLine(error)}`
  }
}

const firstLine = (error: unknown) =>
  String((error as { stderr?: string }).stderr || error)
    .trim()
    .split('\n')[0]

for (const scope of ['collect', 'payout'] as const) {
  test(`a key of the scope ${scope} meets no answer that openapi.json does not describe`, async (t) => {
    if (missing !== null) return t.skip(missing)
    const { address } = installation.services[0]!
    const words = ['--config-file', 'schemathesis.toml', 'run', `${address}/openapi.json`, '--no-color']
    words.push('--max-examples', EXAMPLES, '--seed', String(seed))
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', FUZZ_KEY: keys[`${scope}_test`] }
    const options = { cwd: folder, env, maxBuffer: 100_000_000, timeout: 280_000 }
    const done = await run(join(folder, 'venv/bin/schemathesis'), words, options).then(
      ({ stdout }) => ({ stdout, failed: false }),
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? String(error), failed: true }),
    )
    await mkdir(REPORTS, { recursive: true })
    await writeFile(join(REPORTS, `${scope}.txt`), done.stdout)
    assert.ok(
      !done.failed,
      `SEED=${seed} repeats it; tests/artefacts/fuzz/${scope}.txt has all of it.\n${findingsIn(done.stdout)}`,
    )
  })
}

/** The part of the report from its first finding. */
function findingsIn(report: string): string {
  const begin = report.search(/^=+ (?:FAILURES|ERRORS) =+$/m)
  return report.slice(Math.max(begin, 0)).slice(0, 6_000)
}
