import { randomInt } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect, parseArgs } from 'node:util'
import { createLog } from '../../src/platform/log.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/start.ts'
import { fireKills } from './kills.ts'
import { fireLies } from './lies.ts'
import { type Promised, tableOf } from './promised.ts'

const usage = `Usage: npm run fire -- operators [options]
  --kills <n>  kills of the service (default 20)
  --lies <n>   payouts for each lie of an operator (default 20)
  --seed <n>   repeats the choices of an earlier run
`

/**
 * `npm run fire`: attacks live mode on the operators' twin, and prints each promise with its measurement. Returns 0 if all are kept, 1 if one
 * is broken or could not be measured, and 2 for invalid arguments.
 */
async function run(args: string[]): Promise<number> {
  const wanted = readArguments(args)
  if (wanted === null) {
    process.stderr.write(usage)
    return 2
  }
  const { kills, lies, seed } = wanted
  process.stderr.write(`seed=${seed}\n`)
  const folder = await mkdtemp(join(tmpdir(), 'bandama-fire-'))
  // Under root the server runs with another account, which must be able to enter the folder.
  await chmod(folder, 0o711)
  const log = createLog('warn', 'fire')
  const settings = { max_connections: '300', shared_buffers: '512MB' }
  try {
    const server = await startEmbeddedPostgres({ dataDir: folder, log, own: true, settings })
    process.env.TEST_DATABASE_URL = server.url.reveal()
    try {
      const promised: Promised[] = []
      if (lies > 0) promised.push(...(await fireLies(seed, lies)))
      if (kills > 0) promised.push(...(await fireKills(seed, kills)))
      process.stdout.write(`${tableOf(promised)}\n`)
      return promised.every(({ kept }) => kept) ? 0 : 1
    } finally {
      await server.stop()
    }
  } catch (error) {
    process.stderr.write(`${inspect(error)}\n`)
    return 1
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Null when the arguments are invalid. */
function readArguments(args: string[]): { kills: number; lies: number; seed: number } | null {
  try {
    const number = { type: 'string' } as const
    const options = { kills: number, lies: number, seed: number }
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
    const { kills = '20', lies = '20', seed = String(randomInt(2 ** 32)) } = values
    const read = { kills: Number(kills), lies: Number(lies), seed: Number(seed) }
    const fits = Object.values(read).every((one) => Number.isSafeInteger(one) && one >= 0)
    return fits && positionals.length === 1 && positionals[0] === 'operators' ? read : null
  } catch {
    return null
  }
}

process.exitCode = await run(process.argv.slice(2))
