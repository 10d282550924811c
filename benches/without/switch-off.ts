import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'

/**
 * Loaded before the service by the bench `price`, and by nothing else: puts stand-ins in the place of what BENCH_WITHOUT names.
 * The service itself has no such switch, because one that is there can be thrown by mistake, and what it would switch off is a
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
  if (ofName === undefined) throw new Error(`Nothing stands in for ${name}.`)
  for (const [path, standIn] of Object.entries(ofName)) {
    // In the place of a file that has moved it would stand for nothing, and what it switches off would look free.
    if (!existsSync(new URL(path, root))) throw new Error(`There is no ${path} that ${standIn} could stand in for.`)
    replaced.set(root + path, here + standIn)
  }
}

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const standIn = replaced.get(found.url)
    // A stand-in hands on what it does not stand in for, from the file itself.
    if (standIn === undefined || context.parentURL?.startsWith(here)) return found
    return { ...found, url: standIn }
  },
})
