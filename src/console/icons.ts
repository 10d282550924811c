import { Html, html } from '../platform/http/html.ts'

/** The drawings of icons, as strokes on a grid of 24 by 24. */
const drawings = {
  back: 'M4 10l5-5M4 10l5 5M4 10h10a6 6 0 0 1 6 6v2',
  bank: 'M4 10l8-5 8 5zM6 10v8M10 10v8M14 10v8M18 10v8M4 20h16',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10.5 21h3',
  book: 'M6 4h12v16H6zM10 9h4M10 13h4M4 8h2M4 16h2',
  chat: 'M4 20l1.3-4A8 8 0 1 1 8.5 19zM9 10c0 3 2 5 5 5',
  chart: 'M4 20h16M7 17v-5M12 17V6M17 17v-8',
  clock: 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18zM12 7.5V12l3 2',
  cloud: 'M7 18a4 4 0 0 1 0-8 5.5 5.5 0 0 1 10.5 1.5A3.3 3.3 0 0 1 17 18z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  down: 'M12 4v11M7 10l5 5 5-5M5 20h14',
  finger:
    'M12 4a7 7 0 0 0-7 7v3M19 14v-3a7 7 0 0 0-3-5.7M8.5 20a14 14 0 0 0 .5-4v-5a3 3 0 0 1 6 0v4a18 18 0 0 1-.7 5M12 11v5a16 16 0 0 1-.5 4.5',
  flag: 'M6 21V4h11l-2 4 2 4H6',
  gear: 'M4 7h10M18 7h2M14 5v4M4 17h2M10 17h10M6 15v4M4 12h16',
  hand: 'M12 4v9M12 18h.01',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  hook: 'M5 12h9M10 7l5 5-5 5M19 5v14',
  in: 'M12 4v11M7 10l5 5 5-5M5 20h14',
  key: 'M8 11a4 4 0 1 0 0 8 4 4 0 1 0 0-8zM11 12l8-8M16 7l3 3',
  left: 'M14 6l-6 6 6 6',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  log: 'M5 6h14M5 12h14M5 18h9',
  look: 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM15.5 15.5L20 20',
  menu: 'M4 7h16M4 12h16M4 17h16',
  ok: 'M5 12.5l4.5 4.5L19 7',
  out: 'M12 16V5M7 10l5-5 5 5M5 20h14',
  people: 'M9 5a3 3 0 1 0 0 6 3 3 0 1 0 0-6zM3 20a6 6 0 0 1 12 0M16 5.5a3 3 0 0 1 0 5.5M17 14.5a6 6 0 0 1 4 5.5',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 1 0 0-8zM5 21a7 7 0 0 1 14 0',
  phone: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2',
  power: 'M12 4v8M7 6.5a8 8 0 1 0 10 0',
  print: 'M7 9V4h10v5M7 17H5V9h14v8h-2M8 14h8v6H8z',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 20h2',
  right: 'M10 6l6 6-6 6',
  scale: 'M12 4v16M7 20h10M5 7h14M5 7l-2.5 6h5zM19 7l-2.5 6h5z',
  sheet: 'M6 3h9l4 4v14H6zM9 11h6M9 15h6',
  send: 'M4 12l16-8-6 16-3-7z',
  shop: 'M4 10l1.5-5h13L20 10M5 10v10h14V10M4 10h16M10 20v-5h4v5',
  shut: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12v9H6z',
  stamp: 'M4 12a8 8 0 1 0 16 0 8 8 0 1 0-16 0M8.5 12.5l2.5 2.5 4.5-5',
  storm: 'M7 14a4 4 0 0 1 0-8 5.5 5.5 0 0 1 10.5 1.5A3.3 3.3 0 0 1 17 14M13 12l-3 5h4l-2 4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 1 0 0-8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1 1M17.4 17.4l1 1M5.6 18.4l1-1M17.4 6.6l1-1',
  wallet: 'M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H4zM4 7V5h12v2M16 13h.01',
  x: 'M6 6l12 12M18 6L6 18',
} as const

export type IconName = keyof typeof drawings

/** An icon, hidden from screen readers because the words beside it say the same. Its drawing is once at the end of the page (`drawSymbols`). */
export function icon(name: IconName): Html {
  return html`<svg class="i" aria-hidden="true"><use href="#i-${name}"/></svg>`
}

/** Returns the drawings of the icons that a page uses. */
export function drawSymbols(page: string): Html {
  const used = new Set([...page.matchAll(/<use href="#i-([a-z]+)"/g)].map(([, name]) => name as IconName))
  const symbols = [...used].map(
    (name) => `<symbol id="i-${name}" viewBox="0 0 24 24"><path d="${drawings[name]}"/></symbol>`,
  )
  return new Html(`<svg hidden>${symbols.join('')}</svg>`)
}
