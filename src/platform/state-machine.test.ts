import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Moves, StateMachine } from './state-machine.ts'

const moves: Moves<'shut' | 'ajar' | 'open', 'push' | 'pull'> = {
  shut: { push: 'ajar' },
  ajar: { push: 'open', pull: 'shut' },
  open: { pull: 'ajar' },
}

test('a machine moves as its table says', () => {
  const door = new StateMachine(moves, 'shut')
  door.move('push')
  door.move('push')
  door.move('pull')
  assert.ok(door.is('ajar') && door.is('shut', 'ajar') && !door.is('shut', 'open'))
})

test('an unlisted transition throws, and the state stays', () => {
  const door = new StateMachine(moves, 'shut')
  assert.throws(() => door.move('pull'), /no move from "shut" on "pull"/)
  assert.ok(door.is('shut'))
})
