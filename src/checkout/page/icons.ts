import { Html, html } from '../../platform/http/html.ts'

/** Stroked drawings of 24 × 24. Screen readers skip them, because the heading beside them says the same. */
const strokes = {
  done: 'M5 12.5l4.5 4.5L19 7',
  failed: 'M6 6l12 12M18 6L6 18',
  phone: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2',
  keys: 'M6 6h.01M12 6h.01M18 6h.01M6 12h.01M12 12h.01M18 12h.01M12 18h.01',
  away: 'M14 5h5v5M19 5l-8 8M17 14v4a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1h4',
  hand: 'M12 4v9M12 18h.01',
  clock: 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18zM12 7.5V12l3 2',
  shut: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12v9H6z',
  back: 'M4 10l5-5M4 10l5 5M4 10h10a6 6 0 0 1 6 6v2',
  look: 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM15.5 15.5L20 20',
} as const

export type IconName = keyof typeof strokes

export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${new Html(strokes[name])}"/></svg>`
}
