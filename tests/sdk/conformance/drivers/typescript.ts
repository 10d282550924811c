import { createInterface } from 'node:readline'
import { Bandama, BandamaError, outcomeOf } from '../../../../sdk/typescript/src/index.ts'
import { SignatureError, verify } from '../../../../sdk/typescript/src/webhooks.ts'
import type { Asked } from '../driver.ts'

// The driver of the TypeScript SDK. Its protocol is in ../driver.ts.

type Names = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: a line names its operation at run time.
type Loose = any

const toCamel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const toSnake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const renamed = (names: object, to: (name: string) => string) =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [to(name), value]))

async function carryOut({ client: settings, op, args = [], call = {}, take }: Asked): Promise<Names> {
  const [first, second, secrets, tolerance] = args as Loose[]
  if (op === 'outcome_of') return { ok: outcomeOf(first) }
  if (op === 'webhooks.verify')
    return { ok: await verify(first, secrets, { headers: second, ...(tolerance !== undefined && { tolerance }) }) }
  const client: Loose = new Bandama(renamed(settings!, toCamel) as Loose)
  const [resource, method] = op.split('.').map(toCamel) as [string, string?]
  const act = method === undefined ? client[resource].bind(client) : client[resource][method]
  const gives = act(...args, ...(op === 'events.follow' ? [] : [renamed(call, toCamel)]))
  if (typeof gives[Symbol.asyncIterator] === 'function') return collect(gives, take)
  const ok = await gives
  return { ok, meta: renamed(ok.meta, toSnake) }
}

async function collect(items: AsyncIterable<unknown>, take = Number.POSITIVE_INFINITY): Promise<Names> {
  const ok: unknown[] = []
  try {
    for await (const item of items) if (ok.push(item) >= take) break
    return { ok }
  } catch (error) {
    return { error: told(error), items: ok }
  }
}

function told(error: unknown): Names {
  if (error instanceof SignatureError) return { kind: 'signature', reason: error.reason, message: error.message }
  if (error instanceof TypeError) return { kind: 'usage', message: error.message }
  if (!(error instanceof BandamaError)) throw error
  const { name: _, raw: __, cause: ___, ...facts } = error
  return { ...renamed(facts, toSnake), message: error.message }
}

for await (const line of createInterface(process.stdin)) {
  const { id, ...asked } = JSON.parse(line)
  void carryOut(asked)
    .catch((error: unknown) => ({ error: told(error) }))
    .then((answer) => process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`))
}
