import { ConfigError, readConfig } from '../platform/config.ts'
import { EmbeddedPostgresError } from '../platform/postgres/embedded.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import { DatabaseUnreachableError } from '../platform/postgres/reach.ts'
import { type Command, CommandError, readOptions, usageOf } from './command.ts'
import { allCommands, findCommand } from './commands.ts'
import { openWorkbench } from './workbench.ts'

/** Errors whose message is written for whoever typed the command or set the variables. Any other is shown with its trace. */
const saidPlainly = [CommandError, ConfigError, EmbeddedPostgresError, DatabaseUnreachableError]

process.exitCode = await main(process.argv.slice(2))

/** Runs the command that the words name and returns the exit code: 0, 1 when it failed, 2 when it was mistyped. */
async function main(words: string[]): Promise<number> {
  const command = await findCommand(words)
  if (command === null) {
    const asked = ['help', '--help', '-h'].includes(words[0] ?? 'help')
    ;(asked ? process.stdout : process.stderr).write(`${overview(await allCommands())}\n`)
    return asked ? 0 : 2
  }
  try {
    const { values, json } = readOptions(command, words.slice(command.name.split(' ').length))
    const bench = openWorkbench(readConfig(process.env))
    try {
      const answer = await command.run(bench, values as never)
      if (answer !== null) process.stdout.write(`${json ? JSON.stringify(answer) : inLines(answer)}\n`)
    } finally {
      await bench.close()
    }
    return 0
  } catch (error) {
    if (saidPlainly.some((kind) => error instanceof kind)) {
      process.stderr.write(`${(error as Error).message}\n`)
      return error instanceof CommandError ? error.exitCode : 1
    }
    // Whatever belongs to a merchant refers to it, and the database says when there is none.
    if (violatedConstraint(error)?.endsWith('_merchant_id_fkey')) {
      process.stderr.write('There is no such merchant.\n')
      return 1
    }
    throw error
  }
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`)
  return `Usage: bandama <command> [options] [--json]\n\n${lines.join('\n')}\n\n${commands.map(usageOf).join('\n')}`
}

/** An answer for people: a field a line. */
function inLines(answer: object): string {
  return Object.entries(answer)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)}`)
    .join('\n')
}
