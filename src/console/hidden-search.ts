import { html } from '../platform/http/html.ts'
import { seal, unseal } from '../platform/sealing.ts'
import { toast } from './components.ts'
import type { ConsoleFrame } from './console-frame.ts'
import { filteredAddress } from './list.ts'
import type { ScreenQuery } from './read-query.ts'
import { moved, type Screen, type ScreenRequest } from './screen.ts'

// A person searches for phone numbers and e-mail addresses, and a proxy logs the addresses of pages. So the form of a search posts its text,
// and the answer redirects to an address with the text encrypted. Everybody who may open the screen can reload and share it for an hour.

/** The field of an address with the encrypted text. */
export const SEALED = 'sealed'

/** How long an address shows its search. */
const SHOWN_MS = 3_600_000
/** The most characters of a text, so that `readQuery` keeps its encrypted form whole. */
const TEXT_MAX = 255

type Keys = Pick<ConsoleFrame, 'kept_key' | 'clock'>

/**
 * Returns the POST of a screen that hides a field. It changes nothing, and redirects to the screen with the other fields as they were typed.
 */
export function hiddenSearch(of: Screen<never>): Screen<{ readonly console: Keys }> {
  const { door, path, hides = '', query = [], operation, summary, right } = of
  const clear = query.filter((name) => name !== hides && name !== SEALED)
  return {
    ...{ door, method: 'POST', path: `${path}/${SEALED}`, operation: `${operation}Sealed`, summary, right },
    only_reads: true,
    async handle({ fields, at }: ScreenRequest<'console'>, { console: keys }: { console: Keys }) {
      const text = fields.text(hides).trim().slice(0, TEXT_MAX)
      const typed = Object.fromEntries(clear.map((name) => [name, fields.text(name)]))
      return moved(filteredAddress(at(path), { ...typed, [SEALED]: sealText(keys, at(path), text) }))
    },
  }
}

function sealText({ kept_key, clock }: Keys, place: string, text: string): string {
  if (text === '') return ''
  return seal(kept_key, `${clock.now().getTime()} ${text}`, `search ${place}`).toString('base64url')
}

/** Decrypts the hidden field of a query. Without an encrypted text, and for an old or foreign one, the query stays as it is. */
export function showHidden(
  { kept_key, clock }: Keys,
  { hides }: Pick<Screen, 'hides'>,
  place: string,
  query: ScreenQuery,
): ScreenQuery {
  const sealed = hides === undefined ? null : query.get(SEALED)
  if (sealed === null) return query
  try {
    const opened = unseal(kept_key, Buffer.from(sealed, 'base64url'), `search ${place}`)
    const at = opened.indexOf(' ')
    if (clock.now().getTime() - Number(opened.slice(0, at)) > SHOWN_MS) return query
    const text = opened.slice(at + 1)
    return {
      get: (name) => (name === hides ? text : query.get(name)),
      has: (name) => name === hides || query.has(name),
      declared: () => query.declared(),
    }
  } catch {
    return query
  }
}

/** The message of an address whose encrypted text is too old, or was made elsewhere. */
export function lapsedToast(
  { hides }: Pick<Screen, 'hides'>,
  { query, say }: Pick<ScreenRequest<'console'>, 'query' | 'say'>,
) {
  if (hides === undefined || !query.has(SEALED) || query.has(hides)) return html``
  const words = say([
    'Cette adresse d’une recherche n’est plus valable. Cherchez à nouveau.',
    'This address of a search is no longer valid. Search again.',
  ])
  return toast(words, 'care', say)
}

/** The hidden field for a further address of the same search, such as its next page: as its own address has it. */
export function hiddenAgain(query: ScreenQuery, hides: string): Readonly<Record<string, string>> {
  const name = query.has(SEALED) ? SEALED : hides
  return { [name]: query.get(name) ?? '' }
}
