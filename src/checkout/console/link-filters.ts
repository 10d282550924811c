import type { ScreenRequest } from '../../console/screen.ts'
import { isDay, momentsOf } from '../../values/period.ts'
import { type LinkSituation, linkSituations } from '../link.ts'
import type { LinkFilters } from '../link-store.ts'

type Request = Pick<ScreenRequest<'console'>, 'query'>

/** The filters of the list of links in its address. Empty: any. An invalid value counts as absent, and `unreadFilters` names it. */
export type ChosenLinks = {
  readonly status: LinkSituation | ''
  readonly from: string
  readonly to: string
  /** A part of the description, or the id of a link. */
  readonly text: string
}

/** The query fields of the filters. */
export const linkFilterNames: readonly (keyof ChosenLinks)[] = ['status', 'from', 'to', 'text']

/** Reads the filters of an address. */
export function chosenLinks({ query }: Request): ChosenLinks {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 255)
  const day = (name: string) => (isDay(text(name)) ? text(name) : '')
  const status = linkSituations.find((one) => one === text('status')) ?? ''
  return { status, from: day('from'), to: day('to'), text: text('text') }
}

/** Converts the filters to those of the list. */
export function linkFilters({ status, text, ...days }: ChosenLinks): LinkFilters {
  return { situation: status === '' ? null : status, text: text === '' ? null : text, ...momentsOf(days) }
}
