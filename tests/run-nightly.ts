import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nightly } from './nightly.ts'

// `npm run nightly`: what a landing leaves out, part by part, with a table at the end. `npm run nightly -- kills` runs the parts whose name
// contains a word. Exits with 1 if a part failed.

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
process.exitCode = await run(process.argv.slice(2))

async function run(words: string[]): Promise<number> {
  const parts = nightly.filter(({ name }) => words.every((word) => name.includes(word)))
  const rows: string[] = []
  let failed = 0
  for (const { name, words: arguments_, env } of parts) {
    process.stdout.write(`\n== ${name}\n`)
    const began = performance.now()
    const child = spawn(process.execPath, ['tests/run.ts', ...arguments_], {
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    const seconds = Math.round((performance.now() - began) / 1_000)
    if (code !== 0) failed += 1
    rows.push(`${code === 0 ? 'passed' : 'FAILED'}  ${String(seconds).padStart(6)} s  ${name}`)
  }
  process.stdout.write(`\nThe night:\n${rows.join('\n')}\n${parts.length - failed} passed, ${failed} failed\n`)
  return failed === 0 && parts.length > 0 ? 0 : 1
}
