import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type Held, judge, valueOfRule } from './judge.ts'
import { createReadParts, type Part } from './part.ts'
import type { Rule } from './rule.ts'

const rule = (more: Partial<Rule>): Rule => ({
  ...{ name: 'Any', severity: 'ticket', metric: 'metric', take: 'max', limit: { above: 10 }, for_seconds: 60 },
  ...{ symptom: ['', ''], runbook: '' },
  ...more,
})
const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1_000)

test('a process reads the series with the labels of a rule, and has no part in a rule without any', async () => {
  const registry = new Registry()
  const gauge = new Gauge({ name: 'metric', help: 'x', labelNames: ['mode'], registers: [registry] })
  const wanted = [
    rule({ name: 'one', labels: { mode: 'live' } }),
    rule({ name: 'several', labels: { mode: ['live', 'test'] }, take: 'min' }),
    rule({ name: 'none', labels: { mode: 'other' } }),
    rule({ name: 'unknown', metric: 'unknown' }),
  ]
  gauge.set({ mode: 'live' }, 3)
  gauge.set({ mode: 'test' }, 2)
  assert.deepEqual(await createReadParts(registry, wanted)(), { one: { value: 3 }, several: { value: 2 } })
})

test('a rate is the increase of five minutes, also of a counter that appears later, and of a bucket as a share of its count', async () => {
  const registry = new Registry()
  const registers = [registry]
  let seconds = 0
  const whole = { metric: 'took_count' }
  const late = rule({
    name: 'late',
    metric: 'took_bucket',
    labels: { le: '60' },
    take: 'rate',
    of: whole,
    limit: { below: 0.95 },
  })
  const grows = rule({ name: 'grows', metric: 'counted_total', take: 'rate', limit: { above: 0 } })
  const read = createReadParts(registry, [late, grows], () => seconds * 1_000)
  const took = new Histogram({ name: 'took', help: 'x', buckets: [1, 60], registers })
  const counter = new Counter({ name: 'counted_total', help: 'x', registers })
  const valueAfter = async (passed: number, of: Rule) => {
    seconds += passed
    return valueOfRule(of, [(await read())[of.name]!], at(0))
  }
  took.observe(0.5)
  took.observe(90)
  counter.inc()
  assert.equal(await valueAfter(100, late), 0.5)
  assert.equal(await valueAfter(100, grows), 1 / 200)
  assert.equal(await valueAfter(301, late), null, 'nothing was observed in these five minutes')
  assert.equal(await valueAfter(1, grows), 0)
})

test('processes are taken together, and a moment counts by its age', () => {
  const parts: Part[] = [{ value: 5 }, { value: 7 }]
  assert.equal(valueOfRule(rule({}), parts, at(0)), 7)
  assert.equal(valueOfRule(rule({ take: 'min' }), parts, at(0)), 5)
  assert.equal(valueOfRule(rule({ take: 'sum' }), parts, at(0)), 12)
  assert.equal(valueOfRule(rule({}), [], at(0)), null)
  assert.equal(valueOfRule(rule({ since: true }), [{ value: at(-30).getTime() / 1_000 }], at(0)), 30)
  const share = rule({ take: 'rate', of: { metric: 'all' } })
  const increases = [
    { increase: 1, seconds: 300, whole: 10 },
    { increase: 0, seconds: 300, whole: 90 },
  ]
  assert.equal(valueOfRule(share, increases, at(0)), 0.01)
})

test('a rule fires once its condition has held for its time, once, and ends with it', () => {
  const held = (more: Partial<Held>): Held => ({ rule: 'Any', since: at(0), fired_at: null, value: 11, ...more })
  assert.deepEqual(judge(rule({}), 10, null, at(0)), { kind: 'quiet' })
  assert.deepEqual(judge(rule({}), 11, null, at(0)), { kind: 'holds', since: at(0), fires: false, fired_at: null })
  assert.equal((judge(rule({}), 11, held({}), at(59)) as { fires: boolean }).fires, false)
  assert.deepEqual(judge(rule({}), 11, held({}), at(60)), {
    kind: 'holds',
    since: at(0),
    fires: true,
    fired_at: at(60),
  })
  const fired = held({ fired_at: at(60) })
  assert.deepEqual(judge(rule({}), 11, fired, at(90)), { kind: 'holds', since: at(0), fires: false, fired_at: at(60) })
  assert.deepEqual(judge(rule({}), 10, fired, at(120)), { kind: 'ended', fired: true })
  assert.deepEqual(judge(rule({}), null, held({}), at(30)), { kind: 'ended', fired: false })
  assert.equal((judge(rule({}), 11, held({}), at(6), 10) as { fires: boolean }).fires, true, 'a tenth of the time')
  assert.equal((judge(rule({ for_seconds: 0 }), 11, null, at(0)) as { fires: boolean }).fires, true)
})
