import { type Html, html } from '../platform/http/html.ts'
import { type Language, languages, type Words } from '../values/language.ts'
import { sections, slugs } from './contents.ts'
import { addressOf, type Site, type SitePage } from './read-site.ts'
import { type Hit, QUESTION_MAX } from './search.ts'

const words = {
  docs: ['Documentation', 'Documentation'],
  skip: ['Aller au contenu', 'Skip to the content'],
  menu: ['Sommaire', 'Contents'],
  search: ['Chercher', 'Search'],
  ask: ['Chercher dans la documentation', 'Search the documentation'],
  other: ['English', 'Français'],
  english: [
    'Cette page n’existe qu’en anglais : elle est écrite pour les ingénieurs qui exploitent le service, à côté du code.',
    '',
  ],
  before: ['Avant', 'Before'],
  after: ['Ensuite', 'Next'],
  markdown: ['Cette page en Markdown', 'This page as Markdown'],
  code: ['Langage de l’exemple', 'Language of the sample'],
  results: ['Résultats pour « {q} »', 'Results for “{q}”'],
  nothing: [
    'Rien trouvé. Essayez un seul mot, ou un code d’erreur.',
    'Nothing found. Try a single word, or an error code.',
  ],
  missing: ['Page introuvable', 'No such page'],
  missing_text: [
    'Cette adresse ne mène à aucune page. Le sommaire et la recherche les connaissent toutes.',
    'This address leads to no page. The contents and the search know them all.',
  ],
} as const satisfies Record<string, Words>

export type DocsWord = keyof typeof words

/** The words of the frame in one language. */
export function wordsIn(language: Language): (name: DocsWord) => string {
  return (name) => words[name][languages.indexOf(language)]!
}

type Frame = {
  readonly site: Site
  readonly brand_name: string
  readonly language: Language
  readonly style: string
  readonly title: string
  /** The address that is open, for the menu. */
  readonly here: string
  /** The address of the same page in the other language. */
  readonly other: string
  readonly content: Html
  readonly question?: string
}

/** A whole page. The menu follows the content: on a telephone it is behind it, on a wide window beside it. */
export function writeFrame({
  site,
  brand_name,
  language,
  style,
  title,
  here,
  other,
  content,
  question,
}: Frame): string {
  const say = wordsIn(language)
  const elsewhere = language === 'fr' ? 'en' : 'fr'
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${brand_name}</title>
<link rel="stylesheet" href="/docs/style/${style}">
<link rel="alternate" hreflang="${elsewhere}" href="${other}">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#main">${say('skip')}</a>
<header class="bar">
<a class="brand" href="/docs/${language}">${brand_name} <span>${say('docs')}</span></a>
<a class="tool to-menu" href="#menu">${say('menu')}</a>
<a class="tool" href="${other}" hreflang="${elsewhere}" lang="${elsewhere}">${say('other')}</a>
${searchForm(language, question ?? '')}
</header>
<div class="sheet">
<main id="main" tabindex="-1">
${content}
</main>
${menuOf(site, language, here)}
</div>
</body>
</html>
`
  return page.text
}

function searchForm(language: Language, question: string): Html {
  const say = wordsIn(language)
  const action = `/docs/${language}/${slugs.search[languages.indexOf(language)]}`
  return html`<form class="find" role="search" action="${action}">
<label class="sr" for="q">${say('ask')}</label>
<input id="q" name="q" type="search" maxlength="${QUESTION_MAX}" value="${question}" autocomplete="off">
<button class="second">${say('search')}</button>
</form>`
}

function menuOf(site: Site, language: Language, here: string): Html {
  const at = languages.indexOf(language)
  const groups = sections.map(({ title, entries }) => {
    const items = entries.flatMap((entry) => {
      const path = 'guide' in entry ? entry.guide[at]! : 'made' in entry ? slugs[entry.made][at]! : entry.slug
      const address = `/docs/${language}/${path}`
      const page = site.get(address)
      const current = here === address && html` aria-current="page"`
      return page === undefined ? [] : [html`<li><a href="${address}"${current}>${page.listed}</a></li>\n`]
    })
    return html`<h2>${title[at]}</h2>\n<ul>${items}</ul>\n`
  })
  return html`<nav id="menu" class="menu" aria-label="${wordsIn(language)('menu')}">
${groups}</nav>`
}

/** A page of the site with its neighbours in the menu. */
export function pageContent(page: SitePage, site: Site, body: Html): Html {
  const say = wordsIn(page.language)
  const note = page.isEnglish && page.language === 'fr' && html`<p class="note">${say('english')}</p>\n`
  const lang = page.isEnglish ? 'en' : page.language
  return html`${note}<article lang="${lang}">
${body}</article>
${neighbours(page, site)}
<p class="soft"><a href="${addressOf(page)}.md">${say('markdown')}</a></p>`
}

function neighbours(page: SitePage, site: Site): Html | null {
  const listed = [...site.values()].filter(({ language, listed }) => language === page.language && listed !== null)
  const at = listed.indexOf(page)
  if (at === -1) return null
  const say = wordsIn(page.language)
  const link = (word: 'before' | 'after', to: SitePage | undefined) =>
    to !== undefined && html`<a href="${addressOf(to)}"><small>${say(word)}</small> ${to.listed}</a>`
  return html`<nav class="next" aria-label="${say('before')}, ${say('after')}">
${link('before', listed[at - 1])}
${link('after', listed[at + 1])}
</nav>`
}

/** The answers to a question. */
export function searchContent(language: Language, question: string, hits: readonly Hit[]): Html {
  const say = wordsIn(language)
  if (question === '') return html`<h1>${say('search')}</h1><p>${say('ask')}.</p>`
  const items = hits.map(
    ({
      path,
      title,
      heading,
      found,
    }) => html`<li><a href="${path}">${heading === title ? title : `${title} › ${heading}`}</a>
<p>${found}</p></li>\n`,
  )
  return html`<h1>${say('results').replace('{q}', question)}</h1>
${hits.length === 0 ? html`<p>${say('nothing')}</p>` : html`<ol class="hits">${items}</ol>`}`
}

/** The answer to an unknown address. */
export function missingContent(language: Language): Html {
  const say = wordsIn(language)
  return html`<h1>${say('missing')}</h1><p>${say('missing_text')}</p>`
}
