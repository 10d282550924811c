import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [] })
})
after(() => installation[Symbol.asyncDispose]())

test('a worker logs the head of each chain of the audit log, and the audit compares them', async () => {
  const { bandama, start } = installation
  await bandama('merchant', 'create', '--name', 'Boutique', '--as', 'ama@example.com')
  // The first worker chains the line, and the second finds a chain at its start.
  await using first = await start({ args: ['--only', 'worker'] })
  await waitFor(async () => (await installation.db.sql`select from audit_chain limit 1`).length > 0, {
    what: 'a chain',
  })
  await first.stop()
  await using worker = await start({ args: ['--only', 'worker'], env: { LOG_LEVEL: 'info' } })
  const heads = await waitFor(
    () => {
      const found = worker.output().match(/(?<="head":")[^"]+/g) ?? []
      return found.length > 0 && found
    },
    { what: 'the heads in the log' },
  )
  const report = await bandama('audit', ...heads.flatMap((head) => ['--head', head]))
  const checks = report.checks as { check: string; wrong: number }[]
  assert.deepEqual([report.ok, checks.at(-1)], [true, { check: CHECK, wrong: 0, examples: [] }])
  const [merchant_id, sequence, hash] = heads[0]!.split(':') as [string, string, string]
  for (const lost of [
    `${merchant_id}:${Number(sequence) + 1_000}:${hash}`,
    `${merchant_id}:${sequence}:${'0'.repeat(64)}`,
    `987654:1:${hash}`,
  ]) {
    await assert.rejects(
      bandama('audit', ...heads.flatMap((head) => ['--head', head]), '--head', lost),
      new RegExp(CHECK),
    )
  }
  await assert.rejects(bandama('audit', '--head', 'yesterday'), /--head must be as the log has it/)
})

const CHECK = 'the chain of the audit log still has the heads of earlier moments'
