import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { waitFor } from '../harness/wait-for.ts'

/**
 * Finds a Chromium: the one in `CHROMIUM`, or one at a usual place. Null when there is none. The headless shell comes first: the same browser
 * without the frame around the page, which takes a third of a test's processor time.
 */
const chromiumPath: string | null =
  [
    process.env.CHROMIUM ?? '',
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ].find((path) => path !== '' && existsSync(path)) ?? null

/** The option `skip` of a test: a sentence on a machine without a browser, and false with one. */
export const skipWithoutBrowser: string | false =
  chromiumPath === null &&
  'There is no Chromium here: install Debian’s package chromium-headless-shell, or name one in CHROMIUM.'

/** Starts a real Chromium that makes no calls by itself: `await using browser = await openBrowser()`. */
export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath!,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // In a container the shared memory is often too small for Chromium.
      '--disable-dev-shm-usage',
    ],
  })
}

export const widths = { phone: 320, desk: 1280 } as const

/** The colour schemes of this run: a landing looks at the light one, `npm run nightly` (LOOKS=all) at both. */
export const schemes: readonly ('light' | 'dark')[] = process.env.LOOKS === 'all' ? ['light', 'dark'] : ['light']

/** A window in which a page is looked at. */
type Look = readonly [width: number, colorScheme: 'light' | 'dark', lang: 'fr' | 'en']

/** Three looks that together have each width, scheme and language once; those of the run's schemes. */
export const looks: readonly Look[] = (
  [
    [widths.phone, 'light', 'fr'],
    [widths.phone, 'dark', 'en'],
    [widths.desk, 'light', 'fr'],
  ] as const
).filter(([, colorScheme]) => schemes.includes(colorScheme))

/** Opens a window. 320 px is the narrowest width that WCAG requires. */
export function windowOf(width: number, more: BrowserContextOptions = {}): BrowserContextOptions {
  return {
    viewport: { width, height: width < 700 ? 640 : 900 },
    locale: 'fr-CI',
    timezoneId: 'Africa/Abidjan',
    ...more,
  }
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
/**
 * Waits until a page has its style sheet. A click does not, and the new page's elements can be measured before it: unstyled, it is wider than a
 * telephone.
 */
async function untilStyled(page: Page): Promise<void> {
  await page.waitForLoadState('load')
}

let axeSource: string | null = null

/**
 * Returns the violations of WCAG 2.2 A and AA and of best practices that axe finds, one a line. The browser's own interface loads axe,
 * because the page's policy allows no script.
 * @param rules the names of axe's rules; absent: all
 */
export async function violationsOn(page: Page, rules?: readonly string[]): Promise<string[]> {
  await untilStyled(page)
  axeSource ??= await readFile(axePath, 'utf8')
  await page.evaluate(axeSource)
  return await page.evaluate(async (rules) => {
    const { axe, document } = globalThis as unknown as {
      axe: { run: (on: unknown, options: object) => Promise<{ violations: Violation[] }> }
      document: unknown
    }
    type Violation = { id: string; help: string; nodes: { html: string; failureSummary: string }[] }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const runOnly = rules ?? tags
    const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'] })
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary}`),
    )
  }, rules)
}

/** Returns what is wrong with a page as a reader meets it: wider than its window, or a violation of `violationsOn`. @param title its name there */
export async function faultsOf(page: Page, title: string): Promise<string[]> {
  const overflow = await overflowOf(page)
  const wide = overflow > 0 ? [`${title} is ${overflow} px wider than its window`] : []
  return [...wide, ...(await violationsOn(page)).map((violation) => `${title}: ${violation}`)]
}

/** Returns by how many pixels the page is wider than its window; 0: no horizontal scrolling. */
export async function overflowOf(page: Page): Promise<number> {
  await untilStyled(page)
  return await page.evaluate(() => {
    const { scrollWidth, clientWidth } = (globalThis as unknown as Dom).document.documentElement
    return scrollWidth - clientWidth
  })
}

/**
 * Returns the words that the page breaks in the middle, without a hyphen. Only those of letters, because identifiers, addresses and secrets may
 * break anywhere.
 */
export async function brokenWordsOn(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { document } = globalThis as unknown as Dom
    const broken: string[] = []
    const walker = document.createTreeWalker(document.body, 4)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const { 0: word, index } of node.data.matchAll(/(?<![^\s(«])\p{L}[\p{L}’]+(?![^\s.,:;!?)»])/gu)) {
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1) broken.push(word)
      }
    }
    return broken
  })
}

/** Returns all tap targets that are smaller than 44 px in one direction, except links inside a sentence, as in WCAG. */
export async function smallTargetsOn(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { document } = globalThis as unknown as Dom
    const tappable = 'a, button, input:not([type=hidden]), textarea, select'
    return [...document.querySelectorAll(tappable)].flatMap((element) => {
      const { width, height } = element.getBoundingClientRect()
      if (width === 0 || (width >= 44 && height >= 44)) return []
      return [`${Math.round(width)} × ${Math.round(height)}: ${element.outerHTML.slice(0, 120)}`]
    })
  })
}

/** The types of the browser that the functions above use, because the project has only those of a server. */
type Element = {
  outerHTML: string
  getBoundingClientRect(): { width: number; height: number }
}
type Dom = {
  document: {
    documentElement: { scrollWidth: number; clientWidth: number }
    body: unknown
    createTreeWalker(root: unknown, show: number): { nextNode(): { data: string } | null }
    createRange(): {
      setStart(node: unknown, at: number): void
      setEnd(node: unknown, at: number): void
      getClientRects(): Iterable<{ top: number }>
    }
    querySelectorAll(s: string): Iterable<Element>
  }
}

const artefacts = new URL('../artefacts/pages/', import.meta.url)

/**
 * Saves a picture of the whole page in tests/artefacts/pages for people to look at; that folder is not committed. On a busy machine a
 * Chromium that has not drawn anything yet refuses, so this tries again.
 */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await mkdir(artefacts, { recursive: true })
  const path = fileURLToPath(new URL(`${name}.png`, artefacts))
  const drawn = () =>
    page.screenshot({ path, fullPage: true, animations: 'disabled' }).catch((error: Error) => {
      if (!error.message.includes('Unable to capture screenshot')) throw error
      return null
    })
  await waitFor(drawn, { what: `a picture of ${name}` })
}
