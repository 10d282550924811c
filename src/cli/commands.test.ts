import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allCommands, findCommand } from './commands.ts'

test('every command that is listed is found by its words, and no other', async () => {
  const commands = await allCommands()
  for (const command of commands) assert.equal(await findCommand([...command.name.split(' '), '--json']), command)
  assert.equal(new Set(commands.map(({ name }) => name)).size, commands.length)
  for (const words of [[], ['help'], ['merchant'], ['merchant', 'sell'], ['sell', 'create']]) {
    assert.equal(await findCommand(words), null, words.join(' '))
  }
})
