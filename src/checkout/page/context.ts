import { languageOf, type PageRequest, queryOf } from '../../platform/http/pages/page-request.ts'
import type { Language } from '../../values/language.ts'
import type { ViewContext } from './facts.ts'

type Told = Partial<Pick<ViewContext, 'refusal' | 'wrong_address' | 'typed'>> & {
  /** The query fields that the address in the other language keeps. */
  kept?: Record<string, string>
  /** The page's own path, if the form was posted to another. */
  path?: string
}

/** The context of a view: its language, the options of its address (`still`, `other`), and the address in the other language. */
export function contextOf(
  { url, headers, request_id }: Omit<PageRequest, 'address'>,
  brand_name: string,
  { refusal = null, wrong_address = false, typed = {}, kept = {}, path = url.split('?')[0]! }: Told = {},
): ViewContext {
  const query = queryOf(url)
  const still = query.get('still') === '1'
  const other_number = query.get('other') === '1'
  const all = { ...kept, ...(still ? { still: '1' } : {}), ...(other_number ? { other: '1' } : {}) }
  const inLanguage = (lang: Language) => `${path}?${new URLSearchParams({ ...all, lang })}`
  return {
    language: languageOf(query, headers['accept-language']),
    in_language: { fr: inLanguage('fr'), en: inLanguage('en') },
    brand_name,
    still,
    other_number,
    // The word that the browsers of phones have in common, and the one of them without it.
    handheld: /Mobi|Opera Mini/.test(headers['user-agent'] ?? ''),
    refusal,
    wrong_address,
    typed,
    request_id,
  }
}
