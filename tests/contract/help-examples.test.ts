import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allCommands } from '../../src/cli/commands.ts'
import { exampleOf } from '../../src/cli/help.ts'
import { RefusedCommand, runInProcess } from '../harness/command-line.ts'
import { databaseSettings, openTestDatabase } from '../harness/database.ts'

/** The commands that run until somebody stops them, wait for a browser, write a file, or say the state of the service by their exit code. */
const others = ['serve', 'listen', 'twin', 'login', 'statement', 'status']

test('the example in the help of each command can be typed: it is not refused as mistyped', async () => {
  await using db = await openTestDatabase()
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...databaseSettings(db.url), SECRET_KEY: 'examples-of-36-random-characters-0123' }
  const commands = (await allCommands()).flatMap((group) => group.commands)
  const mistyped: string[] = []
  for (const command of commands.filter(({ name }) => !others.includes(name))) {
    const [, ...words] = exampleOf(command)
      .match(/'[^']*'|\S+/g)!
      .map((word) => word.replace(/^'(.*)'$/, '$1'))
    await runInProcess(words, env).catch((error: unknown) => {
      if (!(error instanceof RefusedCommand)) throw error
      if (error.code === 2) mistyped.push(error.message)
    })
  }
  assert.deepEqual(mistyped, [])
})
