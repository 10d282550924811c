import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Gauge } from 'prom-client'
import { createMetrics, joinFigures } from './metrics.ts'

test('the figures of several processes are one text, where each meaning is said once and each figure names its process', async () => {
  const texts = await Promise.all(
    ['api-1', 'worker-1'].map(async (name, at) => {
      const metrics = createMetrics(name)
      const calls = new Counter({ name: 'calls_total', help: 'Calls.', labelNames: ['route'], registers: [metrics] })
      calls.inc({ route: 'a "quoted" # route' }, at + 1)
      return await metrics.metrics()
    }),
  )
  const only = createMetrics('worker-2')
  new Gauge({ name: 'due', help: 'Only one has this.', registers: [only] }).set(7)
  const joined = joinFigures([...texts, await only.metrics()])
  assert.match(joined, /^calls_total\{route="a \\"quoted\\" # route",process="api-1"\} 1$/m)
  assert.match(joined, /^calls_total\{route="a \\"quoted\\" # route",process="worker-1"\} 2$/m)
  assert.match(joined, /# TYPE due gauge\ndue\{process="worker-2"\} 7\n/)
  const heads = joined.split('\n').filter((line) => line.startsWith('#'))
  assert.equal(new Set(heads).size, heads.length)
  // Prometheus wants all lines of a figure together, and a line break at the end.
  const named = joined.split('\n').filter((line) => line.startsWith('process_cpu_user_seconds_total'))
  assert.equal(named.length, 3)
  assert.ok(joined.includes(named.join('\n')))
  assert.ok(joined.endsWith('\n'))
})

test('the figures of a process that is alone carry no name', async () => {
  const metrics = createMetrics()
  new Gauge({ name: 'due', help: 'Due.', registers: [metrics] }).set(7)
  assert.match(await metrics.metrics(), /^due 7$/m)
})
