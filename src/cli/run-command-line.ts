import { trustAuthorities } from '../app/trusted-authorities.ts'
import { readVersion } from '../app/version.ts'
import { readConfig } from '../platform/config.ts'
import { createLog } from '../platform/log.ts'
import { withSecretFiles } from '../platform/secret-files.ts'
import { type Command, CommandError } from './command.ts'
import { allCommands, commandsOf, explainUnknown, findCommand } from './commands.ts'
import { explainError } from './explain-error.ts'
import { describe, helpOf, helpOfNoun, overview } from './help.ts'
import { openCommandContext } from './open-command-context.ts'
import { readOptions } from './options.ts'
import { present } from './present.ts'
import { authorize } from './sign-in/authorize.ts'

/** The settings of a command line, and where its answer and its sentences go. */
export type Surroundings = {
  env: NodeJS.ProcessEnv
  /** Writes the answer. @throws CommandError when it cannot be written */
  print(text: string): Promise<void>
  /** For sentences beside the answer, and for the log of errors. */
  stderr: NodeJS.WritableStream
}

/**
 * Runs a command line. `serve`, `twin`, `listen` and commands that print a file or ask for a password also use this process's own
 * signals and streams.
 * @param words after `bandama`
 * @returns the exit code: 0 for success, 1 when refused or failed, 2 when mistyped
 */
export async function runCommandLine(words: string[], surroundings: Surroundings): Promise<number> {
  const { env, stderr } = surroundings
  try {
    const asked = readHelp(words, surroundings)
    if (asked !== null) await asked()
    else await run(await commandIn(words), words, surroundings)
    return 0
  } catch (error) {
    const { message, exit_code, fault } = explainError(error)
    stderr.write(`${message}\n`)
    // The stack trace goes to the debug log, for developers.
    if (fault) createLog(env.LOG_LEVEL ?? 'silent', 'bandama command', stderr).debug({ error }, message)
    return exit_code
  }
}

async function run(command: Command, words: string[], { env, print, stderr }: Surroundings): Promise<void> {
  const { values, json } = readOptions(command, words.slice(command.name.split(' ').length))
  const config = readConfig(withSecretFiles(env))
  trustAuthorities(config)
  const context = openCommandContext(config, stderr)
  try {
    const show = async (answer: object | null) => {
      if (answer !== null) await print(`${json ? JSON.stringify(answer) : present(answer, command.table)}\n`)
    }
    try {
      await authorize(context, command, values as never)
      await show(await command.run(context, values as never, { json }))
    } catch (error) {
      if (error instanceof CommandError) await show(error.answer)
      throw error
    }
  } finally {
    await context.close()
  }
}

async function commandIn(words: string[]): Promise<Command> {
  const command = await findCommand(words)
  if (command !== null) return command
  // `bandama merchant --json` has no verb, and its option is not one.
  const named = words.slice(0, 2).filter((word) => !word.startsWith('-'))
  throw new CommandError(`${await explainUnknown(named)}\n\nbandama help shows every command.`, 2)
}

/**
 * Returns a function that prints the help or the version that these words ask for. Null when they are a command to run.
 */
function readHelp(words: readonly string[], { print }: Surroundings): (() => Promise<void>) | null {
  const json = words.includes('--json')
  const [first] = words
  if (first === '--version' || first === 'version') return () => showVersion(json, print)
  const asks = words.some((word) => word === '--help' || word === '-h')
  if (!asks && first !== undefined && first !== 'help') return null
  const about = words.filter((word) => !word.startsWith('-'))
  return () => showHelp(first === 'help' ? about.slice(1) : about.slice(0, 2), json, print)
}

async function showVersion(json: boolean, print: Surroundings['print']): Promise<void> {
  const version = await readVersion()
  const node = process.versions.node
  await print(json ? `${JSON.stringify({ version, node })}\n` : `bandama ${version} (Node ${node})\n`)
}

/** Prints the help of all commands, of a noun, or of one command. */
async function showHelp(words: readonly string[], json: boolean, print: Surroundings['print']): Promise<void> {
  if (words.length === 0) {
    const groups = await allCommands()
    const commands = groups.flatMap((group) => group.commands)
    return print(json ? `${JSON.stringify({ commands: commands.map(describe) })}\n` : overview(groups))
  }
  const command = await findCommand(words)
  if (command !== null) return print(json ? `${JSON.stringify(describe(command))}\n` : helpOf(command))
  const commands = await commandsOf(words[0]!)
  if (commands.length === 0 || words.length > 1) throw new CommandError(await explainUnknown(words), 2)
  return print(json ? `${JSON.stringify({ commands: commands.map(describe) })}\n` : helpOfNoun(words[0]!, commands))
}
