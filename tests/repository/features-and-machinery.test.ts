import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'

/** Words that only the engine, `rows.ts` and `eachShard` use, so that the authors of features need not know them. */
const machinery =
  /\b(createBatcher|onOneMachine|byMachine|ofOneMerchant|json_to_recordset|storeResponses|COPY|[A-Z]+_BATCHING)\b|\.sharded\b|\.copy\(/

test('outside the platform no code names batches, COPY, types of columns or machines', async () => {
  const named: string[] = []
  let files = 0
  for await (const file of glob('src/**/*.ts')) {
    if (file.startsWith('src/platform/') || file.endsWith('.test.ts')) continue
    files += 1
    const lines = (await readFile(file, 'utf8')).split('\n')
    for (const [at, line] of lines.entries()) {
      const found = machinery.exec(line)
      // The app passes the setting on to its database.
      if (found !== null && !(file === 'src/app/open-database.ts' && line.includes('config.sharded'))) {
        named.push(`${file}:${at + 1} ${found[0]}`)
      }
    }
  }
  assert.ok(files > 100, 'features are found where they are')
  assert.deepEqual(named, [])
})
