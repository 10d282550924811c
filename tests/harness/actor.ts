import type { Actor } from '../../src/values/actor.ts'

/** A person named by a command on the host. */
export function actor(person: string): Actor {
  return { person, door: 'break_glass', from: null, step_up_id: null }
}
