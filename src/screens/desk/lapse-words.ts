import { type LapseDeps, lapsesAt } from '../../acts/lapse-proposals.ts'
import type { Say } from '../../console/say.ts'
import type { ScreenDoor, ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'

/** How a proposal ended. @param name the person who decided; empty: time did */
export function endOfProposal(say: Say, { status }: { readonly status: string }, name: string): string {
  if (status === 'lapsed')
    return say(['Personne n’a décidé à temps : rien n’est fait.', 'Nobody decided in time: nothing is done.'])
  return say(['Décidé par {name}.', 'Decided by {name}.'], { name })
}

/** Until when a proposal waits. */
export function lapseLine(
  { say, language }: Pick<ScreenRequest<ScreenDoor>, 'say' | 'language'>,
  deps: LapseDeps,
  row: { readonly proposed_at: Date },
): Html {
  const day = writeShortDate(lapsesAt(row, deps), language)
  const words = say(['Sans décision, s’éteint le {day}.', 'Without a decision it lapses on {day}.'], { day })
  return html`<p class="soft gap">${words}</p>`
}
