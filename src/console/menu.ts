import { type Html, html } from '../platform/http/html.ts'
import type { Right } from '../values/rights.ts'
import { icon } from './icons.ts'
import type { Say } from './say.ts'
import { type MenuGroup, menuGroups, type Screen, type ScreenDoor } from './screen.ts'

type MenuContext = {
  readonly door: ScreenDoor
  readonly can: (right: Right) => boolean
  readonly at: (path: string) => string
  readonly say: Say
  /** The path of the current screen, below its door. */
  readonly path: string
  readonly counts: Readonly<Record<string, number>>
}

/** The menu of a door: the screens that this person may open, in the order of their declaration. @param own the reader's own part, at its end on a phone */
export function drawMenu(screens: readonly Screen[], context: MenuContext, own: Html): Html {
  const { say } = context
  const groups = Object.groupBy(placesOf(screens, context), ({ menu }) => menu.group)
  const drawn = (Object.keys(menuGroups) as MenuGroup[]).flatMap((name) => {
    const title = menuGroups[name]
    const links = (groups[name] ?? []).map((screen) => html`<li>${drawLink(screen, context, screen.menu.words)}</li>`)
    return links.length === 0 ? [] : [html`${title !== null && html`<h2>${say(title)}</h2>`}\n<ul>${links}</ul>\n`]
  })
  const shut = html`<a class="shut" href="#main">${icon('x')}${say(['Fermer le menu', 'Close the menu'])}</a>`
  return html`<nav class="menu" id="menu" tabindex="-1" aria-label="${say(['Menu', 'Menu'])}">${shut}
${drawn}${own}</nav>`
}

/** The dock of a phone: the first four entries, and the link to the others. */
export function drawDock(screens: readonly Screen[], context: MenuContext): Html {
  const { say } = context
  const links = placesOf(screens, context).flatMap((screen) =>
    screen.menu.dock === undefined || (screen.menu.dock_unless !== undefined && context.can(screen.menu.dock_unless))
      ? []
      : [drawLink(screen, context, screen.menu.dock, true)],
  )
  const others = html`<a href="#menu">${icon('menu')}<span>${say(['Menu', 'Menu'])}</span></a>`
  const label = say(['Raccourcis', 'Shortcuts'])
  return html`<nav class="dock" aria-label="${label}">${links.slice(0, 4)}${others}</nav>`
}

type Placed = Screen & { readonly menu: NonNullable<Screen['menu']> }

function placesOf(screens: readonly Screen[], { door, can }: MenuContext): Placed[] {
  return screens.filter(
    (screen): screen is Placed =>
      screen.door === door && screen.menu !== undefined && (screen.right === null || can(screen.right)),
  )
}

function drawLink(
  screen: Placed,
  { at, say, path, counts }: MenuContext,
  words: readonly [string, string],
  bare = false,
): Html {
  const current = path === screen.path || (screen.path !== '' && path.startsWith(`${screen.path}/`))
  const count = screen.menu.count === undefined ? 0 : (counts[screen.menu.count] ?? 0)
  const text = say(words)
  const shown = html`${icon(screen.menu.icon)}${bare ? html`<span>${text}</span>` : text}`
  const counted = count > 0 && html` <span class="count">${count}</span>`
  return html`<a href="${at(screen.path)}"${current && html` aria-current="page"`}>${shown}${counted}</a>`
}
