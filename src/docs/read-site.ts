import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path/posix'
import { type Language, languages } from '../values/language.ts'
import { type Entry, home as homeEntry, sections, slugs } from './contents.ts'
import { fillGuide, type Home, setFrench } from './fill-text.ts'
import { includeSamples, readSamples } from './samples.ts'
import { type Contract, declaredCodes, explainedCodes, writeError, writeErrorIndex } from './write-errors.ts'
import { type Described, operationsOf, writeEvent, writeOperation, writeReferenceIndex } from './write-reference.ts'

/** A page of one language. */
export type SitePage = {
  readonly language: Language
  /** The path behind `/docs/<language>/`; that of the first page is empty. */
  readonly path: string
  /** The path of the same page in the other language. */
  readonly other: string
  /** Its Markdown, with the samples in it and this instance's own names. */
  readonly markdown: string
  /** The file that its relative links begin from. */
  readonly file: string
  /** True: the text is in English in both languages. */
  readonly isEnglish: boolean
  /** Its name in the menu. Null: the menu does not list it. */
  readonly listed: string | null
}

/** Every page by its address, such as `/docs/fr/encaisser`, in the order of the menu. */
export type Site = ReadonlyMap<string, SitePage>

const root = new URL('../../', import.meta.url)

/** The address of a page. */
export function addressOf({ language, path }: Pick<SitePage, 'language' | 'path'>): string {
  return path === '' ? `/docs/${language}` : `/docs/${language}/${path}`
}

/**
 * Reads the guides and the handbook from the repository, and writes the reference and the errors from the contract.
 * @throws when a file of the menu, or a sample that a page names, does not exist
 */
export async function readSite(document: Described & Contract, home: Home): Promise<Site> {
  const samples = await readSamples(new URL('docs/samples/', root))
  const hasExtensions = Object.keys(document.paths).some((path) => path.startsWith('/x/'))
  const entries = [homeEntry, ...sections.flatMap((section) => section.entries)].filter(
    (entry) => hasExtensions || !('about' in entry),
  )
  const pages: SitePage[] = []
  for (const [at, language] of languages.entries()) {
    for (const entry of entries) {
      pages.push(...(await pagesOf(entry, at, language)))
    }
  }
  return new Map(pages.map((page) => [addressOf(page), page]))

  async function pagesOf(entry: Entry, at: number, language: Language): Promise<SitePage[]> {
    const other = 1 - at
    if ('made' in entry) return madePages(entry.made, document, { home, hasExtensions, language })
    if ('guide' in entry) {
      const file = `docs/${language}/${entry.guide[at]}.md`
      const text = (await readFile(new URL(file, root), 'utf8')).replace(/^<!--[^>]*-->\n+/, '')
      const set = language === 'fr' ? setFrench(text) : text
      const markdown = includeSamples(fillGuide(set, home), samples, language, home)
      const [path, otherPath] = entry === homeEntry ? ['', ''] : [entry.guide[at]!, entry.guide[other]!]
      return [{ language, path, other: otherPath, markdown, file, isEnglish: false, listed: titleOf(markdown) }]
    }
    const { file, slug, titles } = entry
    const markdown = await readFile(new URL(file, root), 'utf8')
    return [{ language, path: slug, other: slug, markdown, file, isEnglish: true, listed: titles[at]! }]
  }
}

function madePages(
  made: 'reference' | 'errors',
  document: Described & Contract,
  { home, hasExtensions, language }: { home: Home; hasExtensions: boolean; language: Language },
) {
  const at = languages.indexOf(language)
  const [path, other] = [slugs[made][at]!, slugs[made][1 - at]!]
  const page = (name: string | null, text: string): SitePage => {
    const own = name === null ? '' : `/${name}`
    const markdown = fillGuide(language === 'fr' ? setFrench(text) : text, home)
    const file = `docs/${language}/${path}${own}.md`
    const listed = name === null ? titleOf(markdown) : null
    return { language, path: `${path}${own}`, other: `${other}${own}`, markdown, file, isEnglish: false, listed }
  }
  const operations = operationsOf(document)
  if (made === 'reference') {
    return [
      page(null, writeReferenceIndex(document, language)),
      ...operations.map((operation) => page(operation.operationId, writeOperation(operation, document, language))),
      ...Object.keys(document.webhooks).map((kind) => page(kind, writeEvent(kind, document, language))),
    ]
  }
  const declared = declaredCodes(document)
  const codes = explainedCodes(declared, hasExtensions)
  return [
    page(null, writeErrorIndex(codes, declared, language)),
    ...codes.map((code) => page(code, writeError(code, declared, operations.length, language))),
  ]
}

/** The title of a page: its first heading, without marks. */
export function titleOf(markdown: string): string {
  return (/^# (.+)$/m.exec(markdown)?.[1] ?? '').replaceAll('`', '')
}

/**
 * Returns the address of a link on a page, or null for a page or file that the site does not serve. A relative link begins from the page's
 * file; `/docs/errors/…` and `/docs/reference/…` lead to the page in the same language.
 */
export function linksFrom(page: SitePage, site: Site): (href: string) => string | null {
  const at = languages.indexOf(page.language)
  const files = new Map(
    [...site.values()].filter((one) => one.language === page.language).map((one) => [one.file, one]),
  )
  return (href) => {
    if (/^(?:https?|mailto):/.test(href) || href.startsWith('#')) return href
    const [target = '', anchor] = href.split('#')
    const suffix = anchor === undefined ? '' : `#${anchor}`
    const made = /^\/docs\/(errors|reference)(\/.*)?$/.exec(target)
    if (made) {
      const address = `/docs/${page.language}/${slugs[made[1] as 'errors' | 'reference'][at]}${made[2] ?? ''}`
      return site.has(address) ? address + suffix : null
    }
    if (target.startsWith('/')) return href
    const found = files.get(join(dirname(page.file), target))
    return found === undefined ? null : addressOf(found) + suffix
  }
}

/** The Markdown of a page as programs take it, with whole addresses in its links. */
export function writeTwin(page: SitePage, site: Site, origin: string): string {
  const linkTo = linksFrom(page, site)
  return page.markdown.replace(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
    const address = linkTo(href)
    // A page that this instance does not serve is its words alone.
    if (address === null) return /^\/docs\/|\.md(?:#|$)/.test(href) ? ']' : whole
    if (!address.startsWith('/')) return whole
    const [path = '', anchor] = address.split('#')
    return `](${origin}${path}${site.has(path) ? '.md' : ''}${anchor === undefined ? '' : `#${anchor}`})`
  })
}
