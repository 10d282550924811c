import type { StatusShape } from '../../console/components.ts'
import type { Say, Words } from '../../console/say.ts'
import type { NameMatch } from '../../operators/port.ts'
import type { CapReason } from '../../payouts/payout-request.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeNumber } from '../../platform/http/pages/write-values.ts'
import { normalizePerson } from '../../values/independent-approver.ts'

/** The names of a merchant's people and API keys, by the text under which they act. */
export type Names = ReadonlyMap<string, string>

/** The reader of a page, for words about people. */
export type Reader = { readonly say: Say; readonly names: Names; readonly me: string }

/** Writes a maker or decider: `vous`, a name, or an API key by its name or id. */
export function writePerson({ say, names, me }: Reader, person: string): Html {
  if (person.startsWith('key:')) {
    const name = names.get(person)
    if (name !== undefined) return html`${say(['Clé « {name} »', 'Key “{name}”'], { name })}`
    return html`${say(['Clé d’API', 'API key'])} <span class="id">${person.slice('key:'.length)}</span>`
  }
  const known = normalizePerson(person) ?? person
  return html`${known === me ? say(['vous', 'you']) : (names.get(known) ?? person)}`
}

/** Writes why a payout waits: the cap that it exceeds. */
export function writeReason(say: Say, { reason, cap }: { reason: CapReason; cap: number }): string {
  return reason === 'plafond_operation'
    ? say(['plus de {cap}', 'more than {cap}'], { cap: writeAmount(cap) })
    : say(['plus de {cap} en 24 h', 'more than {cap} in 24 h'], { cap: writeAmount(cap) })
}

/** Writes a phone number as people dial it in the country. */
export function writeWholeNumber(e164: string): string {
  return writeNumber(e164.replace(/^\+225/, ''))
}

/** The words for an operator's answer about a name. The holder's name itself is never shown. */
export const nameWords: Readonly<Record<NameMatch, readonly [StatusShape, Words]>> = {
  match: ['ok', ['Le même', 'Same']],
  close: ['wait', ['Proche', 'Close']],
  no_match: ['bad', ['Un autre', 'Different']],
  unknown: ['off', ['Pas de réponse', 'No answer']],
}

/** Writes a number with the language's decimal mark. */
export function writeDecimal(say: Say, value: number): string {
  return say([String(value).replace('.', ','), String(value)] as Words)
}
