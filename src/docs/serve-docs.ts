import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { baseStyle } from '../platform/http/pages/base-style.ts'
import { packedOnce } from '../platform/http/pages/page-answer.ts'
import { languageOf, type PageRequest, queryOf } from '../platform/http/pages/page-request.ts'
import { squeezeStyle } from '../platform/http/pages/squeeze.ts'
import type { Answer } from '../platform/http/refusal.ts'
import type { Log } from '../platform/log.ts'
import { type Language, languages } from '../values/language.ts'
import { slugs } from './contents.ts'
import { missingContent, pageContent, searchContent, wordsIn, writeFrame } from './docs-view.ts'
import type { Home } from './fill-text.ts'
import { addressOf, linksFrom, readSite, type Site, type SitePage, titleOf, writeTwin } from './read-site.ts'
import { type Rendered, renderMarkdown } from './render-markdown.ts'
import { createSearch, QUESTION_MAX } from './search.ts'
import type { Contract } from './write-errors.ts'
import type { Described } from './write-reference.ts'

/** Nothing from elsewhere, and no script at all. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Browsers and proxies keep a page for five minutes, then ask whether it changed. */
const KEPT = 'public, max-age=300'

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'

const style = squeezeStyle(baseStyle + readFileSync(new URL('docs.css', import.meta.url), 'utf8'))
const STYLE = `docs-${createHash('sha256').update(style).digest('hex').slice(0, 8)}.css`

type Request = Pick<PageRequest, 'url' | 'headers'>

/** The documentation of this instance. Null: no such address. */
export type Docs = {
  /** A page, its Markdown, or the search, by the path of the request. */
  page(request: Request): Promise<Answer | null>
  /** Leads an address without a language to the page in the language of the browser. */
  lead(request: Request): Answer
  style(name: string, request: Request): Promise<Answer | null>
  /** The list of all pages for programs that read for people. */
  list(request: Request): Promise<Answer>
}

type Sources = {
  /** The OpenAPI document of the routes that this instance serves. */
  readonly document: unknown
  /** The names of this instance, known once it listens. */
  readonly home: () => Promise<Home>
  readonly log: Log
}

type Kept = { readonly etag: string; readonly answer: ReturnType<typeof packedOnce> }

/** Reads the pages at the first question about one, keeps them in memory, and never touches the database. */
export function createDocs({ document, home, log }: Sources): Docs {
  let reading: Promise<{ site: Site; home: Home }> | null = null
  const kept = new Map<string, Kept>()
  const rendered = new Map<SitePage, Rendered>()
  const searches = new Map<Language, Promise<ReturnType<typeof createSearch>>>()
  const cssOnce = packedOnce(answerOf(style, 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'))

  function read() {
    reading ??= home()
      .then(async (names) => ({ home: names, site: await readSite(document as Described & Contract, names) }))
      .catch((error: unknown) => {
        reading = null
        log.error({ error }, 'docs: pages not read')
        throw error
      })
    return reading
  }

  function render(page: SitePage, site: Site): Rendered {
    const known = rendered.get(page)
    if (known !== undefined) return known
    const made = renderMarkdown(page.markdown, linksFrom(page, site), wordsIn(page.language)('code'))
    rendered.set(page, made)
    return made
  }

  async function searchIn(language: Language, site: Site) {
    const pages = []
    for (const page of site.values()) {
      if (page.language !== language) continue
      const { title, parts } = render(page, site)
      pages.push({ path: addressOf(page), title, parts })
      // Payments come first: each page is a turn of its own.
      await setImmediate()
    }
    return createSearch(pages)
  }

  /** Answers from memory; the text is made once. */
  function keep(address: string, request: Request, type: string, make: () => string): Promise<Answer> {
    let known = kept.get(address)
    if (known === undefined) {
      const text = make()
      const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`
      known = { etag, answer: packedOnce(answerOf(text, type, KEPT, { ETag: etag })) }
      kept.set(address, known)
    }
    return fresh(request, known)
  }

  async function showSearch(request: Request, language: Language, site: Site, brand_name: string): Promise<Answer> {
    const question = (queryOf(request.url).get('q') ?? '').slice(0, QUESTION_MAX).trim()
    if (!searches.has(language)) searches.set(language, searchIn(language, site))
    const search = await searches.get(language)!
    const other = language === 'fr' ? 'en' : 'fr'
    const asked = `?q=${encodeURIComponent(question)}`
    const page = writeFrame({
      ...{ site, brand_name, language, style: STYLE, title: wordsIn(language)('search'), question },
      here: '',
      other: `/docs/${other}/${slugs.search[languages.indexOf(other)]}${question === '' ? '' : asked}`,
      content: searchContent(language, question, search(question)),
    })
    return packedOnce(answerOf(page, HTML, 'no-store'))(request)
  }

  return {
    async page(request) {
      const path = request.url.split('?')[0]!.replace(/\/$/, '')
      const language = languages.find((one) => path === `/docs/${one}` || /^\/docs\/(\w\w)[/.]/.exec(path)?.[1] === one)
      const { site, home } = await read()
      if (language === undefined) return null
      if (path === `/docs/${language}/${slugs.search[languages.indexOf(language)]}`)
        return showSearch(request, language, site, home.brand.name)
      const twin = path.endsWith('.md') ? site.get(path.slice(0, -3)) : undefined
      if (twin !== undefined) return keep(path, request, MARKDOWN, () => writeTwin(twin, site, home.origin))
      const page = site.get(path)
      if (page === undefined) return missing(request, language, site, home)
      return keep(path, request, HTML, () => {
        const { html, title } = render(page, site)
        const other = addressOf({ language: language === 'fr' ? 'en' : 'fr', path: page.other })
        const frame = { site, brand_name: home.brand.name, language, style: STYLE, here: path, other }
        return writeFrame({ ...frame, title, content: pageContent(page, site, html) })
      })
    },
    lead({ url, headers }) {
      const language = languageOf(queryOf(url), headers['accept-language'])
      const at = languages.indexOf(language)
      const rest = url
        .split('?')[0]!
        .replace(/^\/docs\/?/, '')
        .replace(/^(errors|reference)/, (name) => slugs[name as 'errors'][at]!)
      const Location = rest === '' ? `/docs/${language}` : `/docs/${language}/${rest}`
      return { status: 302, body: '', error_code: null, headers: { Location, Vary: 'Accept-Language' } }
    },
    async style(name, request) {
      return name === STYLE ? cssOnce(request) : null
    },
    async list(request) {
      const { site, home } = await read()
      return keep('/llms.txt', request, 'text/plain; charset=utf-8', () => writeList(site, home))
    },
  }
}

function answerOf(body: string, type: string, kept: string, more: Record<string, string> = {}): Answer {
  const headers = {
    'Content-Type': type,
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': kept,
    ...more,
  }
  return { status: 200, body, error_code: null, headers }
}

async function fresh(request: Request, { etag, answer }: Kept): Promise<Answer> {
  const known = String(request.headers['if-none-match'] ?? '')
  if (!known.split(/\s*,\s*/).includes(etag)) return answer(request)
  return {
    status: 304,
    body: '',
    error_code: null,
    headers: { ETag: etag, 'Cache-Control': KEPT, Vary: 'Accept-Encoding' },
  }
}

/** A person gets a page that leads on; a program gets the usual refusal. */
async function missing(request: Request, language: Language, site: Site, home: Home): Promise<Answer | null> {
  if (!String(request.headers.accept ?? '').includes('text/html')) return null
  const [title, other] = [wordsIn(language)('missing'), `/docs/${language === 'fr' ? 'en' : 'fr'}`]
  const frame = { site, brand_name: home.brand.name, language, style: STYLE, here: '', other, title }
  const page = writeFrame({ ...frame, content: missingContent(language) })
  const answer = await packedOnce(answerOf(page, HTML, 'no-store'))(request)
  return { ...answer, status: 404, error_code: 'resource_not_found' }
}

/** The pages as a list of links to their Markdown (llmstxt.org). */
function writeList(site: Site, { origin, brand, sdk }: Home): string {
  const lines = (language: Language) =>
    [...site.values()]
      .filter((page) => page.language === language && (language === 'fr' || !page.isEnglish))
      .map((page) => `- [${titleOf(page.markdown)}](${origin}${addressOf(page)}.md)`)
  return `# ${brand.name}

> Encaisser et payer par mobile money en Côte d’Ivoire. Collect and pay out by mobile money in Côte d’Ivoire.

Contract: ${origin}/openapi.json.${sdk === null ? '' : ` Packages: ${origin}/sdk.`}

## Français

${lines('fr').join('\n')}

## English

${lines('en').join('\n')}
`
}
