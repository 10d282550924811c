import { inspect, parseArgs } from 'node:util'
import { consoleBench } from './console.ts'
import { createPaymentBench } from './create-payment.ts'
import { growthBench } from './growth.ts'
import { hotMerchantBench } from './hot-merchant.ts'
import { endOnSignals } from './interruption.ts'
import { CannotRun, type Pace } from './measure.ts'
import { attacks } from './neighbours/attacks.ts'
import { neighboursBench } from './neighbours.ts'
import { operatorsBench } from './operators.ts'
import { payoutsBench } from './payouts.ts'
import { priceBench } from './price.ts'
import { keepResult, readNewest, tableOfTargets, updatePages } from './report.ts'
import { soakBench } from './soak.ts'
import { statementsBench } from './statements.ts'
import { statementsImportBench } from './statements-import.ts'
import type { Result } from './targets.ts'
import { webhooksBench } from './webhooks.ts'
import { wholePaymentBench } from './whole-payment.ts'

type Bench = (pace: Pace) => Promise<object>

/** The benches that run one after the other when none is named. */
const usual: Record<string, Bench> = {
  'create-payment': createPaymentBench,
  'whole-payment': wholePaymentBench,
  'hot-merchant': hotMerchantBench,
  payouts: payoutsBench,
  webhooks: webhooksBench,
  price: priceBench,
  statements: statementsBench,
  neighbours: neighboursBench,
  operators: operatorsBench,
}

/** The benches that run only when they are named, because they take long. */
const long: Record<string, Bench> = {
  console: consoleBench,
  growth: growthBench,
  soak: soakBench,
  'statements-import': statementsImportBench,
}

const benches = { ...usual, ...long }

const usage = `Usage: npm run bench -- [names] [options]
  names                ${Object.keys(usual).join(', ')} (all of these when none is named);
                       ${Object.keys(long).join(', ')}; or "tables", which runs nothing and writes the tables and the chart anew
  --quick              a second each, to see that it works; keeps nothing
  --sharded            with SHARDED=on, to see what batches of one merchant cost; keeps nothing
  --minutes <n>        of soak, 30 otherwise
  --payments <n>       that growth makes, 10000000 otherwise, and console, 1000000 otherwise; keeps nothing
  --attack <name>      of neighbours, and again for another: only these, and keeps nothing;
                       ${Object.keys(attacks).join(', ')}
`

/**
 * `npm run bench`: runs benches, prints their results, stores them in benches/results by date, and ends with the table
 * of all figures and targets, which is also in docs/performance.md. Returns the number of benches that failed, or 2 for
 * invalid arguments.
 */
async function run(args: string[]): Promise<number> {
  const wanted = readArguments(args)
  if (wanted === null) {
    process.stderr.write(usage)
    return 2
  }
  const { names, pace, sharded } = wanted
  // The service of a bench reads it from the environment (measure.ts).
  if (sharded) process.env.SHARDED = 'on'
  const keeps = !pace.quick && !sharded && pace.payments === null && pace.attacks.length === 0
  endOnSignals()
  let failed = 0
  for (const name of names) {
    const began = performance.now()
    try {
      const found = (await benches[name]!(pace)) as Result
      const result = { ...found, took_seconds: Math.round((performance.now() - began) / 1_000) }
      process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
      if (keeps) await keepResult(result)
    } catch (error) {
      failed += 1
      process.stderr.write(`${name}: ${error instanceof CannotRun ? error.message : inspect(error)}\n`)
    }
  }
  if (!keeps) return failed
  await updatePages()
  process.stdout.write(`\n${tableOfTargets(await readNewest())}\n`)
  return failed
}

/** Null when the arguments are invalid. */
function readArguments(args: string[]): { names: string[]; pace: Pace; sharded: boolean } | null {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        quick: { type: 'boolean' },
        sharded: { type: 'boolean' },
        minutes: { type: 'string' },
        payments: { type: 'string' },
        attack: { type: 'string', multiple: true },
      },
    })
    const pace = {
      quick: values.quick ?? false,
      minutes: Number(values.minutes ?? 30),
      payments: values.payments === undefined ? null : Number(values.payments),
      attacks: values.attack ?? [],
    }
    const names = positionals.length === 0 ? Object.keys(usual) : positionals.filter((name) => name !== 'tables')
    const known = names.every((name) => name in benches) && pace.attacks.every((name) => name in attacks)
    const fits = known && pace.minutes > 0 && (pace.payments === null || pace.payments > 0)
    return fits ? { names, pace, sharded: values.sharded ?? false } : null
  } catch {
    return null
  }
}

process.exitCode = await run(process.argv.slice(2))
