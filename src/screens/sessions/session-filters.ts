import { type SessionStatus, sessionStatuses } from '../../checkout/session.ts'
import type { SessionFilters } from '../../checkout/session-list-store.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { looksLikeId } from '../../values/ids.ts'
import { isDay, momentsOf } from '../../values/period.ts'

/** The filters of the list of payment pages in its address. Empty: any. An invalid value counts as absent. */
export type ChosenSessions = {
  readonly status: SessionStatus | ''
  readonly from: string
  readonly to: string
  readonly link: string
}

/** The query fields of the filters. */
export const sessionFilterNames: readonly (keyof ChosenSessions)[] = ['status', 'from', 'to', 'link']

/** Reads the filters of an address. */
export function chosenSessions({ query }: Pick<ScreenRequest<'console'>, 'query'>): ChosenSessions {
  const text = (name: string, is: (text: string) => boolean) => {
    const typed = (query.get(name) ?? '').trim()
    return is(typed) ? typed : ''
  }
  return {
    status: sessionStatuses.find((known) => known === query.get('status')) ?? '',
    from: text('from', isDay),
    to: text('to', isDay),
    link: text('link', (typed) => looksLikeId('lnk', typed)),
  }
}

/** Converts the filters to those of the list. */
export function sessionFilters({ status, link, ...days }: ChosenSessions): SessionFilters {
  return { status: status === '' ? null : status, link_id: link === '' ? null : link, ...momentsOf(days) }
}
