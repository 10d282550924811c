import { RATE_SECONDS, type Rule, type Series } from '../../src/app/rules/rule.ts'
import { rules } from '../../src/app/rules/rules.ts'

/** Seconds between two evaluations, of Prometheus and of the worker. */
const STEP = 30

const HEAD = '# Derived from src/app/rules/rules.ts by `npm run derive`: change that table, not this file.\n'

/** Writes the rules as Prometheus reads them. A text of JSON is one of YAML. */
export function renderRules(): string {
  const lines = rules.flatMap((rule) => [
    `      - alert: ${rule.name}`,
    `        expr: ${JSON.stringify(expressionOf(rule))}`,
    ...(rule.for_seconds === 0 ? [] : [`        for: ${rule.for_seconds}s`]),
    `        labels: ${JSON.stringify({ severity: rule.severity })}`,
    `        annotations: ${JSON.stringify(annotationsOf(rule))}`,
  ])
  return `${HEAD}groups:\n  - name: bandama\n    interval: ${STEP}s\n    rules:\n${lines.join('\n')}\n`
}

/** Writes promtool's tests: each rule beyond its limit by each value of its labels, at its limit, and without data. */
export function renderRuleTests(): string {
  const tests = rules.flatMap((rule) => [...eachValue(rule).map(beyondTest), underTest(rule), absentTest(rule)])
  return `${HEAD}rule_files: [rules.yml]\nevaluation_interval: ${STEP}s\ntests:\n${tests.map((one) => `  - ${JSON.stringify(one)}\n`).join('')}`
}

const INDEX = /(<!-- index of rules[^>]*-->\n)[\s\S]*?(<!-- end of index of rules -->)/

/** Returns the runbook with the index of its rules. */
export function withRuleIndex(page: string): string {
  if (!INDEX.test(page)) throw new Error('docs/runbook.md has lost the marks around its index of rules.')
  const rows = rules.map((rule) => {
    const minutes = rule.for_seconds === 0 ? 'at once' : `${rule.for_seconds / 60} min`
    return `| [${rule.name}](#${rule.runbook}) | ${rule.severity} | ${rule.symptom[1]} | ${minutes} |`
  })
  const table = ['| Rule | | You see | For |', '|---|---|---|---|', ...rows].join('\n')
  return page.replace(INDEX, (_, begin: string, end: string) => `${begin}${table}\n${end}`)
}

function expressionOf(rule: Rule): string {
  const sign = 'above' in rule.limit ? '>' : '<'
  const condition = `${writeValue(rule)} ${sign} ${limitOf(rule)}`
  return rule.absent === 'fires' ? `${condition} or absent(${selector(rule)})` : condition
}

function writeValue(rule: Rule): string {
  if (rule.take === 'rate') {
    const rate = (series: Series) => `sum(rate(${selector(series)}[${RATE_SECONDS / 60}m]))`
    return rule.of === undefined ? rate(rule) : `${rate(rule)} / ${rate(rule.of)}`
  }
  const value = `${rule.take}(${selector(rule)})`
  return rule.since ? `time() - ${value}` : value
}

function selector({ metric, labels = {} }: Series): string {
  const matchers = Object.entries(labels).map(([name, value]) =>
    typeof value === 'string' ? `${name}="${value}"` : `${name}=~"${value.join('|').replaceAll('.', '[.]')}"`,
  )
  return matchers.length === 0 ? metric : `${metric}{${matchers.join(',')}}`
}

function annotationsOf({ symptom, runbook }: Rule) {
  return { summary: symptom[1], runbook: `docs/runbook.md#${runbook}` }
}

/** One of the series that a rule reads, by the first value of each label. */
function sample({ metric, labels = {} }: Series, more: Record<string, string> = {}): string {
  const all = {
    ...Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value].flat()[0]!])),
    ...more,
  }
  return `${metric}{${Object.entries(all)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`
}

/** The rule by each value of which any will do, in place of all of them. */
function eachValue(rule: Rule): Rule[] {
  const several = Object.entries(rule.labels ?? {}).find(([, value]) => typeof value !== 'string')
  if (several === undefined) return [rule]
  const [name, values] = several
  return [values].flat().map((value) => ({ ...rule, labels: { ...rule.labels, [name]: value } }))
}

const limitOf = ({ limit }: Rule) => ('above' in limit ? limit.above : limit.below)

/** The seconds after which a rule whose condition holds from the beginning fires. A rate needs two values. */
const firesAt = (rule: Rule) => rule.for_seconds + (rule.take === 'rate' ? 2 * STEP : 0)

const steps = (rule: Rule) => firesAt(rule) / STEP + 2

function expected(rule: Rule, labels: Record<string, string> = {}) {
  return [{ exp_labels: { severity: rule.severity, ...labels }, exp_annotations: annotationsOf(rule) }]
}

const seconds = (count: number) => `${count}s`

function at(rule: Rule, second: number, exp_alerts: object[]) {
  return { eval_time: seconds(second), alertname: rule.name, ...(exp_alerts.length > 0 && { exp_alerts }) }
}

/** Beyond its limit a rule fires when its time has passed, and not one evaluation earlier. */
function beyondTest(rule: Rule) {
  const sooner = rule.for_seconds === 0 || rule.take === 'rate' ? [] : [at(rule, firesAt(rule) - STEP, [])]
  const step = 'above' in rule.limit ? 1 : -1
  return {
    name: `${rule.name} beyond its limit`,
    interval: seconds(STEP),
    input_series: seriesOf(rule, limitOf(rule) + (step * Math.max(1, limitOf(rule))) / 100, 0),
    alert_rule_test: [...sooner, at(rule, firesAt(rule), expected(rule))],
  }
}

function underTest(rule: Rule) {
  // A share is rounded, so it stays a hundredth away from its limit.
  const away =
    rule.take === 'rate' && rule.of !== undefined ? limitOf(rule) * ('above' in rule.limit ? -0.01 : 0.01) : 0
  return {
    name: `${rule.name} at its limit`,
    interval: seconds(STEP),
    input_series: seriesOf(rule, limitOf(rule) + away, firesAt(rule)),
    alert_rule_test: [at(rule, firesAt(rule), [])],
  }
}

function absentTest(rule: Rule) {
  const fires = rule.absent === 'fires'
  const labels = Object.fromEntries(Object.entries(rule.labels ?? {}).map(([name, value]) => [name, String(value)]))
  return {
    name: `${rule.name} without data`,
    interval: seconds(STEP),
    input_series: [{ series: 'other', values: `1x${steps(rule)}` }],
    alert_rule_test: [at(rule, rule.for_seconds, fires ? expected(rule, labels) : [])],
  }
}

/** The series with which a rule has this value. Promtool's time begins at 0, and an age has this value `then`. */
function seriesOf(rule: Rule, value: number, then: number) {
  const count = steps(rule)
  if (rule.take !== 'rate') {
    const constant = rule.since ? then - value : value
    return [{ series: sample(rule), values: `${constant}x${count}` }]
  }
  const whole =
    rule.of === undefined ? [] : [{ series: sample(rule.of, remainder(rule)), values: `0+${10_000}x${count}` }]
  const isPart = rule.of?.metric === rule.metric
  // A part of its whole is counted in it too.
  const part = rule.of === undefined ? value * 100 : isPart ? (value / (1 - value)) * 10_000 : value * 10_000
  return [{ series: sample(rule), values: `0+${part}x${count}` }, ...whole]
}

/** The label that keeps the rest of a whole apart from the part. */
function remainder({ of, metric, labels = {} }: Rule): Record<string, string> {
  return of?.metric === metric ? Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])) : {}
}
