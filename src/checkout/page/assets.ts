import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { contrastOf, measure } from '../../merchants/brand-color.ts'
import { Html } from '../../platform/http/html.ts'
import { squeezeScript, squeezeStyle } from '../../platform/http/pages/squeeze.ts'
import type { PageAsset } from './facts.ts'

/** An inline style sheet, with the hash by which the page's policy allows it. */
export type InlineStyle = { element: Html; hash: string }

/** The style of every page except the poster. */
export const pageStyle = readStyle('page.css')
export const posterStyle = readStyle('poster.css')

/** The ground of a slip by day and by night, as in page.css. */
const papers = { light: '#fffefb', dark: '#171e1b' }

/**
 * The rules for the merchant's colour, with a readable colour for text on it. Both are the same in light and dark mode.
 * If the colour is close to the ground's, the button gets a border (WCAG 2.2, 1.4.11).
 */
export function brandStyle(color: string): InlineStyle {
  const { text_color } = measure(color)
  const edges = Object.entries(papers)
    .filter(([, paper]) => contrastOf(color, paper) < 3)
    .map(([scheme]) => `@media (prefers-color-scheme:${scheme}){:root{--brand-edge:var(--edge)}}`)
  const rules = `:root{--brand:${color};--on-brand:${text_color}}.slip{border-top:.375rem solid ${color}}`
  return styleOf(rules + edges.join(''))
}

const script = squeezeScript(readText('page.js'))
const scriptName = `page-${createHash('sha256').update(script).digest('hex').slice(0, 12)}.js`

/** The address of the script. Its name changes with its content, so a browser keeps it for ever. */
export const scriptAddress = `/page/${scriptName}`

const picture = readFileSync(new URL('preview.png', import.meta.url))
const pictureName = `preview-${createHash('sha256').update(picture).digest('hex').slice(0, 12)}.png`

/** The picture of a page's card in chats, the same for all, without a word: a chat keeps it, and reading it tells us nothing. 600 by 315 pixels. */
export const pictureAddress = `/page/${pictureName}`

/** The files of the pages, by name. */
export const assets: ReadonlyMap<string, PageAsset> = new Map([
  [scriptName, { type: 'text/javascript; charset=utf-8', body: script }],
  [pictureName, { type: 'image/png', body: picture }],
])

function readText(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

function readStyle(name: string): InlineStyle {
  return styleOf(squeezeStyle(readText(name)))
}

function styleOf(text: string): InlineStyle {
  const hash = `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  return { element: new Html(`<style>${text}</style>`), hash }
}
