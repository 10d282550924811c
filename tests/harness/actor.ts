import type { Actor } from '../../src/values/actor.ts'

/** A person who acts through a command. */
export function actor(person: string): Actor {
  return { person, door: 'command_line', from: null, step_up_id: null }
}
