import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

// Runs a test file many times, under the load of others, as chance finds it:
//
//   npm run repeat -- tests/contract/payouts.test.ts --times 50 --beside tests/console/lists.test.ts
//
// `--beside` may stand several times; those files run again and again until the repetitions are over, and their results do not count. Prints
// how often the file failed, and exits with 1 if it failed at all.

const usage = 'Usage: npm run repeat -- <file> [--times 50] [--beside <file>]... [--live]\n'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
process.exitCode = await run(process.argv.slice(2))

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      times: { type: 'string', default: '50' },
      beside: { type: 'string', multiple: true, default: [] },
      live: { type: 'boolean', default: false },
    },
  })
  const [file] = positionals
  const times = Number(values.times)
  const missing = [...positionals, ...values.beside].find((one) => !existsSync(one))
  if (file === undefined || positionals.length > 1 || !(times >= 1) || missing !== undefined) {
    process.stderr.write(missing === undefined ? usage : `There is no file ${missing}.\n${usage}`)
    return 2
  }
  const mode = values.live ? ['--live'] : []
  let over = false
  const beside = values.beside.map(async (other) => {
    while (!over) await runOnce([other])
  })
  let failures = 0
  for (let time = 1; time <= times; time += 1) {
    const { code, output } = await runOnce([file, ...mode])
    if (code === 0) continue
    failures += 1
    process.stdout.write(`\n== ${time} of ${times} failed\n${output}`)
  }
  over = true
  await Promise.all(beside)
  process.stdout.write(`\n${file}: ${failures} of ${times} failed.\n`)
  return failures === 0 ? 0 : 1
}

async function runOnce(words: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['tests/run.ts', ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, output }
}
