import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screens } from '../../src/app/screens.ts'
import { allCommands } from '../../src/cli/commands.ts'
import type { Screen } from '../../src/console/screen.ts'

// A signed-in person confirms the same acts with a fresh factor on the command line as on the console's screens.

/** The screen of each command's act. */
const screenOf: Readonly<Record<string, string>> = {
  'settlement show': 'deskBankFile',
}

/** The commands whose act has no screen, and whether they need a fresh factor. */
const withoutScreen: Readonly<Record<string, boolean>> = {
  'merchant brand': false,
  'listings rebuild': false,
}

test('a command needs a fresh factor exactly if the screen of its act does', async () => {
  const acting = (await allCommands())
    .flatMap(({ commands }) => commands)
    // A declared act asks for the same factor at each door, by construction.
    .filter(({ right, act }) => right !== undefined && act === undefined)
  const asks = (operation: string): boolean => {
    const screen = (screens as readonly Screen[]).find((one) => one.operation === operation)
    assert.ok(screen !== undefined, `no screen ${operation}`)
    return screen.confirm !== undefined
  }
  const wanted = acting.map(({ name }) => {
    const operation = screenOf[name]
    return [name, operation === undefined ? withoutScreen[name] : asks(operation)]
  })
  assert.deepEqual(
    acting.map(({ name, fresh }) => [name, fresh !== undefined]),
    wanted,
  )
})
