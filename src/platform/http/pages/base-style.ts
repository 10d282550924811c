import { readFileSync } from 'node:fs'

/** The common style of all pages with a bar, as CSS. A folder's own style sheet follows it and may override it. */
export const baseStyle = readFileSync(new URL('base.css', import.meta.url), 'utf8')
