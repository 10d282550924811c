import { HOST_USER } from '../values/actor.ts'
import type { Words } from '../values/language.ts'

/** The names of people by their e-mail addresses. */
export type PersonNames = ReadonlyMap<string, string>

/** Writes an actor of the history by name, and the service as the service. */
export function personWords(person: string | null, names: PersonNames): Words {
  if (person === null) return ['personne', 'nobody']
  if (person === 'system') return ['le service', 'the service']
  if (person === 'schedule') return ['le service, à l’heure dite', 'the service, on schedule']
  if (person.startsWith(HOST_USER)) {
    const user = person.slice(HOST_USER.length)
    return [`${user}, sur le serveur`, `${user}, on the server`]
  }
  if (person.startsWith('key:')) return ['une clé du marchand', 'a key of the merchant']
  const name = names.get(person) ?? person
  return [name, name]
}
