import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'

/**
 * The bench `price`, and nothing else, loads this file before the service. It replaces the files of the features in BENCH_WITHOUT.
 * The service itself has no such switch, because it could be turned off by mistake, and each of these features is a
 * promise. See docs/decisions/0068.
 */
const standIns: Record<string, Record<string, string>> = {
  idempotency: {
    'src/platform/commands/keys.ts': 'stored-responses.ts',
    'src/platform/http/strict-json.ts': 'fingerprints.ts',
  },
  limits: { 'src/platform/limits/windows.ts': 'limits.ts' },
  'request log': { 'src/request-log/request-log.ts': 'request-log.ts' },
}

const root = new URL('../../', import.meta.url).href
const here = new URL('./', import.meta.url).href

const replaced = new Map<string, string>()
for (const name of (process.env.BENCH_WITHOUT ?? '').split(',').filter((one) => one !== '')) {
  const ofName = standIns[name]
  if (ofName === undefined) throw new Error(`There is no replacement for ${name}.`)
  for (const [path, standIn] of Object.entries(ofName)) {
    // If the file has moved, its replacement would have no effect, and the feature would seem to cost nothing.
    if (!existsSync(new URL(path, root))) throw new Error(`There is no ${path} for ${standIn} to replace.`)
    replaced.set(root + path, here + standIn)
  }
}

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const standIn = replaced.get(found.url)
    // A replacement imports the original file for the parts that it does not replace.
    if (standIn === undefined || context.parentURL?.startsWith(here)) return found
    return { ...found, url: standIn }
  },
})
