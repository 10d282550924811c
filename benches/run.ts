import { writeFile } from 'node:fs/promises'
import { createPaymentBench } from './create-payment.ts'
import { payoutsBench } from './payouts.ts'
import { statementsBench } from './statements.ts'

/** `npm run bench -- <name>`: runs a bench, prints its figures and keeps them in `benches/results/` by date. */
const benches: Record<string, () => Promise<object>> = {
  'create-payment': createPaymentBench,
  payouts: payoutsBench,
  statements: statementsBench,
}

const wanted = process.argv[2] ?? ''
const bench = benches[wanted]
if (bench === undefined) {
  process.stderr.write(`Usage: npm run bench -- ${Object.keys(benches).join(' | ')}\n`)
  process.exitCode = 2
} else {
  const text = `${JSON.stringify(await bench(), null, 2)}\n`
  process.stdout.write(text)
  const day = Temporal.Now.plainDateISO().toString()
  await writeFile(new URL(`results/${day}-${wanted}.json`, import.meta.url), text)
}
