import type { Sql } from '../src/platform/postgres/database.ts'
import { migrate } from '../src/platform/postgres/upkeep/migrate.ts'
import type { FaultInput, ScriptInput } from '../src/twin/rules.ts'
import type { Callback } from '../src/twin/state.ts'
import { freePort } from '../tests/harness/free-port.ts'
import { connectTwin, liveOperators } from '../tests/harness/live-twin.ts'
import type { Service } from '../tests/harness/start-service.ts'
import { startBenchService } from './measure.ts'
import { BENCH_SECRET_KEY } from './merchants.ts'
import { startOwnProcess } from './own-process.ts'

/** Live mode in a bench: a connector of pawaPay, with the twin in a process of its own. */
export type LiveMode = AsyncDisposable & {
  twin: TwinProcess
  /** Starts the real service at the address that the twin calls back. */
  start(): Promise<Service>
}

export type TwinProcess = {
  pid: number
  /** Forgets all orders and rules. From then on every payer pays after `after_seconds`, and the fault, if any, is in effect. */
  play(rules: { after_seconds: number; fault?: FaultInput }): Promise<void>
  /** The twin's newest callbacks, with their attempts. */
  callbacks(): Promise<readonly Callback[]>
}

/** Migrates an empty database, and sets up live mode in it. */
export async function openLiveMode(sql: Sql, url: string): Promise<LiveMode> {
  await migrate(url)
  await using started = new AsyncDisposableStack()
  const { child, hello } = started.use(await startOwnProcess<{ url: string }>('twin.ts'))
  const steer = steeringOf(hello.url)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const steered = {
    connectors: () => steer<Record<string, { settings: object }>>('GET', '/connectors'),
    change: (api: string, settings: object) => steer('PATCH', `/apis/${api}`, settings),
  }
  const operators = liveOperators.filter(({ api }) => api === 'pawapay')
  // No charges: the simulator takes none, and a charge adds two entries to the ledger.
  await connectTwin(sql, steered, { secret_key: BENCH_SECRET_KEY, origin, operators, charges: {} })
  const open = started.move()
  return {
    twin: {
      pid: child.pid!,
      async play({ after_seconds, fault }) {
        await steer('POST', '/reset')
        await steer('POST', '/scripts', { outcome: 'succeed', after_seconds } satisfies ScriptInput)
        if (fault !== undefined) await steer('POST', '/faults', fault)
      },
      callbacks: async () => (await steer<{ callbacks: Callback[] }>('GET', '/callbacks')).callbacks,
    },
    start: () => startBenchService(url, [], { PORT: String(port), PUBLIC_URL: origin }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/**
 * Calls the twin's steering interface.
 * @throws when it refuses a call
 */
function steeringOf(url: string) {
  return async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${url}/_twin${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`The twin answered ${path} with ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Answer
  }
}
