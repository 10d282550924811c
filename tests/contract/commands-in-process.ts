import assert from 'node:assert/strict'
import type { CommandContext } from '../../src/cli/command-context.ts'
import { findCommand } from '../../src/cli/commands.ts'
import { readOptions } from '../../src/cli/options.ts'

/** Whether a command changes nothing, and so needs no name of a person. */
export const onlyReads = (name: string): boolean =>
  /(^| )(list|show|find|stops|check|serve|listen|migrate|audit|(?<!connector )balance|statement|margin|twin|weather|status|files|lines|backup run|restore|drill)$/.test(
    name,
  )

/** Runs a command as `bin/bandama` does, in this process: there are dozens. Returns its answer. */
export async function runIn(context: CommandContext, words: readonly string[]): Promise<Record<string, string>> {
  const command = await findCommand([...words])
  assert.ok(command !== null, words.join(' '))
  const { values } = readOptions(command, words.slice(command.name.split(' ').length))
  return (await command.run(context, values as never, { json: true })) as Record<string, string>
}
