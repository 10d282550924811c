import { backLink, blank, note, pageHead, panel } from '../../console/components.ts'
import type { Say } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { type LineMatch, type MatchedLine, settlementsOf } from '../../settlements/bank/line-match.ts'
import type { BankLine } from '../../settlements/bank/read-lines.ts'
import { isIndependentOf, type LinesRead, type OfferedLine } from './lines-read.ts'
import { offeredForm } from './offered-form.ts'
import { otherLines } from './other-lines.ts'

type Request = ScreenRequest<'desk'>

/** The most transfers of one confirmation. */
export const TRANSFERS_MAX = 100

/** The page of a file's lines, each with the settlement that it pays, before anything is entered. */
export function linesView(request: Request, read: LinesRead): ScreenView {
  const { say, at } = request
  const matches = read.matched.filter((one): one is OfferedLine => one.match.kind === 'match')
  const free = matches.filter(({ match }) => isIndependentOf(match.settlement, read.reader))
  const offered = free.slice(0, TRANSFERS_MAX)
  // Money that came in for no settlement is only counted.
  const [sure, strange] = [new Set<MatchedLine>(offered), new Set(read.matched.filter(isStrange))]
  const others = read.matched.filter((one) => !sure.has(one) && !strange.has(one))
  const left_aside = read.left_aside + strange.size
  const title = say(['Virements de la banque', 'Transfers of the bank'])
  const aside =
    left_aside > 0 &&
    say([' Laissées de côté, car rien n’en sort : {n}.', ' Ignored, because no money left there: {n}.'], {
      n: left_aside,
    })
  const counts = { n: read.matched.length, free: free.length }
  const counted = say(['Lignes : {n}. À inscrire : {free}.', 'Lines: {n}. To enter: {free}.'], counts)
  const firstOnly =
    free.length > offered.length &&
    say([' Les {max} premières d’abord.', ' The first {max} first.'], { max: TRANSFERS_MAX })
  const lead = html`${counted}${aside}${firstOnly}`
  const nothing = panel(null, blank('bank', { title: say(['Rien à inscrire', 'Nothing to enter']) }))
  const offer = offered.length === 0 ? nothing : offeredForm(request, read, offered)
  const rest =
    others.length > 0 &&
    panel(say(['Les autres lignes', 'The other lines']), otherLines(request, read, others), { flush: true })
  const back = backLink(at('/settlements/transfers'), say(['Un autre fichier', 'Choose another file']))
  const main = html`${back}${pageHead({ title, lead })}
<div class="stack">${read.our_account && notCompared(say)}${offer}${rest}</div>`
  const facts = {
    lines: read.matched.map(({ line, match }) => ({ ...shownLine(line), ...shownMatch(match) })),
    left_aside: read.left_aside,
    our_account: read.our_account,
  }
  return { kind: 'view', title, main, facts }
}

function isStrange({ match }: MatchedLine): boolean {
  return match.kind === 'in' && match.settlements.length === 0
}

/** Returns a line for a program, without the account, because the file has the whole one. */
function shownLine({ line, direction, amount, date, value_date, unread_date, reference, fault }: BankLine) {
  return { line, direction, amount, date, value_date, unread_date, reference, fault }
}

function shownMatch(match: LineMatch) {
  const why = match.kind === 'ambiguous' ? match.why : null
  const days = match.kind === 'match' ? match.days : null
  return { kind: match.kind, why, days, settlement_ids: settlementsOf(match).map(({ id }) => id) }
}

function notCompared(say: Say): Html {
  const text = say([
    'La colonne du compte a partout le même, sans doute le nôtre. Si c’est celui du bénéficiaire, titrez-la « compte bénéficiaire ».',
    'The column of the account has the same one everywhere, probably our own. If it is the beneficiary’s, title it “beneficiary account”.',
  ])
  return note('', say(['Compte non comparé', 'Account not compared']), text)
}
