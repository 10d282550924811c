import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'
import { waitFor } from './wait-for.ts'

/** Whether Debian's prometheus is installed. */
export const hasPrometheus = spawnSync('prometheus', ['--version']).error === undefined

type Sample = { metric: Record<string, string>; value: [number, string] }
type RuleRead = { name: string; query: string }

/** A Prometheus of a test, on this machine only. */
export type Prometheus = {
  /** Evaluates a query now. @throws when Prometheus refuses it */
  query(expression: string): Promise<Sample[]>
  rules(): Promise<RuleRead[]>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts Prometheus with our alerts. It reads the ports of metrics each second. */
export async function startPrometheus(ports: readonly number[]): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'bandama-prometheus-'))
  const port = await freePort()
  const rules = fileURLToPath(new URL('../../deploy/prometheus/rules.yml', import.meta.url))
  const targets = ports.map((one) => `127.0.0.1:${one}`)
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'bandama', static_configs: [{ targets }] }],
  }
  // JSON is YAML too.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const child = spawn(
    'prometheus',
    [
      ...[`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`],
      ...[`--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    ],
    { stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  const ask = async <Data>(path: string): Promise<Data> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    const read = (await answer.json()) as { status: string; error?: string; data: Data }
    if (read.status !== 'success') throw new Error(`${path}: ${read.error}`)
    return read.data
  }
  await waitFor(
    () =>
      fetch(`http://127.0.0.1:${port}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { what: 'Prometheus' },
  )
  return {
    query: async (expression) =>
      (await ask<{ result: Sample[] }>(`query?query=${encodeURIComponent(expression)}`)).result,
    rules: async () => (await ask<{ groups: { rules: RuleRead[] }[] }>('rules')).groups.flatMap((group) => group.rules),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
