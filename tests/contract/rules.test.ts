import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { rules } from '../../src/app/rules/rules.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, openInstallation, payment } from '../harness/installation.ts'
import { hasPrometheus, type Prometheus, startPrometheus } from '../harness/prometheus.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { ask } from './ask.ts'

/** Metrics that a service without an operator, a certificate, an archive or a drill does not have. */
const absentHere = [
  'bandama_operator_success_ratio',
  'bandama_connector_float_warning',
  'bandama_anomalies_open',
  'bandama_connector_unreadable_answers',
  'bandama_certificate_left_seconds',
  'bandama_wal_archive_failing',
  'bandama_restore_drill_last_success_timestamp_seconds',
  'bandama_backup_last_success_timestamp_seconds',
]

let installation: Installation
let port: number
let service: Service
before(async () => {
  port = await freePort()
  installation = await openInstallation({ processes: [], own: 'needs an audit before the start' })
  // The worker reads the newest audit when it starts, and then every 15 seconds.
  await installation.bandama('audit')
  service = await installation.start({ env: { METRICS_PORT: String(port) } })
})
after(() => installation[Symbol.asyncDispose]())

const readMetrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()

test('a running service reports the metrics of every rule that it can', async () => {
  const { key } = await installation.newMerchant()
  await ask(service.address, payment(key, { amount: 100, counterparty: { msisdn: '0700000000' } }))
  const wanted = new Set(rules.flatMap(({ metric, of }) => [metric, ...(of === undefined ? [] : [of.metric])]))
  for (const name of absentHere) assert.ok(wanted.delete(name), `${name} is in no rule`)
  await waitFor(async () => {
    const text = await readMetrics()
    return [...wanted].every((name) => new RegExp(`^${name}(?:\\{.*\\})? \\S`, 'm').test(text))
  })
  const text = await readMetrics()
  for (const name of absentHere) assert.doesNotMatch(text, new RegExp(`^${name}(?:\\{| )`, 'm'))
})

type Dashboard = { panels: { title: string; targets?: { expr: string }[] }[] }

test('a real Prometheus takes the alerts, and has data for each panel of the dashboard whose metrics are here', {
  skip: hasPrometheus ? false : 'needs Debian’s prometheus',
}, async () => {
  await using prometheus = await startPrometheus([port])
  const text = await readFile(new URL('../../deploy/grafana/bandama.json', import.meta.url), 'utf8')
  const panels = (JSON.parse(text) as Dashboard).panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expr })),
  )
  assert.ok(panels.length > 20)
  // A service without operators has no alert of its own, and no balance.
  const without = [...absentHere, 'bandama_connector_balance_francs', 'ALERTS']
  for (const { title, expr } of panels) {
    const isHere = without.every((name) => !expr.includes(name))
    if (isHere) await waitFor(() => hasData(prometheus, expr), { what: title })
    else assert.deepEqual(await prometheus.query(expr), [], title)
  }
  const alerts = await prometheus.rules()
  assert.deepEqual(
    alerts.map(({ name }) => name),
    rules.map(({ name }) => name),
  )
  for (const { query } of alerts) await prometheus.query(query)
})

async function hasData(prometheus: Prometheus, expr: string): Promise<boolean> {
  return (await prometheus.query(expr)).length > 0
}
