import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screens } from '../../src/app/screens.ts'
import { allCommands } from '../../src/cli/commands.ts'
import type { Screen } from '../../src/console/screen.ts'

// One declaration serves all doors of an act, so these hold by construction, unless a door goes around it.

const posts = (screens as readonly Screen[]).filter(({ act }) => act !== undefined)
const commands = (await allCommands()).flatMap((group) => group.commands).filter(({ act }) => act !== undefined)

test('each door of an act asks for its right and its factor', () => {
  assert.ok(posts.length > 0 && commands.length > 0)
  for (const { act, right, operation, confirm, method } of posts) {
    assert.deepEqual([operation, right, confirm, method], [act!.name, act!.right, undefined, 'POST'])
  }
  for (const { act, name, right, fresh, options } of commands) {
    assert.deepEqual([right, fresh ?? false, 'code' in options], [act!.right, act!.fresh, act!.fresh], name)
  }
})

test('a command of an act has an option for each of its fields', () => {
  for (const { act, name, options } of commands) {
    for (const [field, { option }] of Object.entries(act!.fields)) {
      assert.ok((option.name ?? field) in options, `${name} --${option.name ?? field}`)
    }
  }
})
