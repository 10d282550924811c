import type { Actor } from '../../src/values/actor.ts'

/** Returns a person as a command on the host names them. */
export function actor(person: string): Actor {
  return { person, door: 'break_glass', from: null, step_up_id: null }
}
