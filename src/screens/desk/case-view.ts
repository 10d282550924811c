import { canDecideOn } from '../../acts/second-person.ts'
import type { ProposalRow } from '../../anomalies/anomaly.ts'
import { resolutionWords, riskWords } from '../../anomalies/resolution-facts.ts'
import { backLink, differs, panel, type StoryEvent, status, story } from '../../console/components.ts'
import { decideBar, errorList, type FieldError, form } from '../../console/forms.ts'
import type { IconName } from '../../console/icons.ts'
import { quoted, sayWords } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import type { TimelineEntry } from '../../operators/doubts/find-doubts.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { maskNumbersIn } from '../../values/msisdn.ts'
import { besideCase } from './beside-case.ts'
import { type CaseFile, legsOf, standingOf } from './case-facts.ts'
import { ageInWords, factInWords, operatorWord, personName, titleOf } from './case-words.ts'
import { endOfProposal } from './lapse-words.ts'
import { legsTable } from './legs-table.ts'
import { ownerPanel } from './queue-view.ts'

type Request = ScreenRequest<'desk'>

/** The page of a doubt or anomaly: the evidence, the proposal, and the second person's decision. */
export function caseView(request: Request, file: CaseFile, now: Date, errors: readonly FieldError[] = []): ScreenView {
  const { say, at } = request
  const standing = standingOf(file)
  const deciding = standing !== null && mayDecide(request, file, standing)
  const title = titleOfCase(file, request)
  const owned = waits(file) && ownerPanel(request, file)
  const main = html`${backLink(at(''), say(['File d’attente', 'Queue']))}${errorList(say, errors)}
<div class="two"><div class="stack">${slip(request, file, now)}${evidence(request, file)}</div>
<div class="stack">${standing !== null && effects(request, file, standing)}${besideCase(request, file, errors)}${owned}</div></div>`
  const { id, merchant_id, merchant, owner, fitting } = file
  const facts = {
    ...{ id, merchant_id, merchant, owner, fitting },
    anomaly: file.anomaly && { ...file.anomaly, evidence: maskNumbersIn(file.anomaly.evidence) },
    doubt: file.doubt && doubtFacts(file),
    proposals: file.proposals,
    errors,
  }
  return { kind: 'view', status: errors.length > 0 ? 409 : 200, title, main, facts, deciding }
}

/** Whether people still have something to do here. If an anomaly is open, they continue there. */
function waits({ anomaly, doubt, decided_at }: CaseFile): boolean {
  return anomaly !== null ? anomaly.closed_at === null : doubt!.open && decided_at === null
}

function doubtFacts({ doubt }: CaseFile) {
  const { instruction, open, status: standing, ends, timeline, forecast } = doubt!
  const { direction, operator, connector, amount, state, asked, sent_at, next_check_at } = instruction
  return {
    direction,
    operator,
    connector,
    amount,
    state,
    asked,
    sent_at,
    next_check_at,
    open,
    status: standing,
    ends,
    timeline,
    forecast,
  }
}

function mayDecide({ can }: Request, { reader }: CaseFile, standing: ProposalRow): boolean {
  return can('cases.decide') && canDecideOn(reader, [standing.proposed_by])
}

/** Writes the title of a doubt or an anomaly. */
function titleOfCase({ anomaly, doubt }: CaseFile, { say }: Pick<Request, 'say'>): string {
  const direction = doubt?.instruction.direction ?? null
  if (anomaly === null) return titleOf({ kind: 'doubt', direction: direction! }, say)
  return titleOf({ kind: 'anomaly', anomaly_kind: anomaly.kind, direction }, say)
}

/** Writes the effect of a proposal, with its amount, and with the merchant to credit if the anomaly has none. */
function proposalInWords(
  { credited }: Pick<CaseFile, 'credited'>,
  { resolution, amount, of_merchant_id: id }: ProposalRow,
  say: Request['say'],
): string {
  const sum = amount === null ? '' : `${say(['\u00a0: ', ': '])}${writeAmount(amount)}`
  const to = id === null ? '' : say([', {name} (n° {id})', ', {name} (no. {id})'], { name: credited.get(id) ?? '', id })
  return `${sayWords(say, resolutionWords[resolution])}${sum}${to}`
}

function slip(request: Request, file: CaseFile, now: Date): Html {
  const { say, at } = request
  const { anomaly, doubt, names } = file
  const standing = standingOf(file)
  const since = doubt?.instruction.sent_at ?? anomaly?.opened_at ?? now
  const closed = anomaly !== null ? anomaly.closed_at !== null : !doubt!.open
  const state = closed
    ? status('ok', say(['Fini', 'Closed']))
    : standing !== null
      ? status('wait', say(['Proposé, à confirmer', 'Proposed, to confirm']))
      : anomaly !== null
        ? status('doubt', say(['Anomalie', 'Mismatch']))
        : status('doubt', say(['En vérification', 'Being checked']))
  const owner =
    file.owner === null
      ? ''
      : ` · ${say(['à {name}', 'assigned to {name}'], { name: personName(file.owner, names, say) })}`
  const age = ageInWords(now.getTime() - since.getTime(), say)
  const sum =
    doubt === null
      ? html`${titleOfCase(file, request)}`
      : html`<span class="sr">${titleOfCase(file, request)}${say([' : ', ': '])}</span>${drawAmount(doubt.instruction.amount)}`
  const decide =
    standing !== null &&
    mayDecide(request, file, standing) &&
    decideBar(
      request,
      { to: at(`/cases/${file.id}/dispute?proposal=${standing.id}`), words: say(['Contester', 'Dispute']) },
      { to: at(`/cases/${file.id}/approve?proposal=${standing.id}`), words: say(['Confirmer', 'Confirm']) },
    )
  const head = html`<p>${state} <span class="soft">· ${age}${owner}</span></p><h1>${sum}</h1>`
  return html`<article class="slip"><header>${head}<p class="say">${sentence(request, file)}</p></header>
${proposalSection(request, file)}${decide}</article>`
}

function sentence({ say }: Request, { anomaly, doubt, merchant }: CaseFile): string {
  const operator = operatorWord(doubt?.instruction.operator ?? anomaly?.operator ?? null, say)
  const shop = merchant ?? say(['Aucun marchand connu', 'No merchant that we know'])
  if (doubt === null) {
    return say(
      [
        '{operator} nous parle de la référence {reference}, qui n’est pas à nous.',
        '{operator} tells us of the reference {reference}, which is none of ours.',
      ],
      { operator, reference: anomaly!.subject_id },
    )
  }
  const { msisdn, direction } = doubt.instruction
  const number = msisdn === null ? '' : ` ${writeNumberEnd(msisdn.slice(-4))},`
  const way = {
    collect: say(['payé par', 'paid by']),
    payout: say(['vers', 'to']),
    refund: say(['rendu à', 'back to']),
  }[direction]
  const who = `${shop}, ${way}${number} ${operator}. `
  if (anomaly !== null && anomaly.kind !== 'in_doubt') {
    return (
      who + say(['L’opérateur dit : {fact}.', 'The operator says: {fact}.'], { fact: factInWords(anomaly.fact, say) })
    )
  }
  return doubt.open
    ? who + say(['{operator} ne dit ni oui ni non.', '{operator} says neither yes nor no.'], { operator })
    : who + say(['L’opération est finie.', 'The operation has ended.'])
}

function proposalSection(request: Request, file: CaseFile): Html {
  const { say, language } = request
  const standing = standingOf(file)
  const last = standing ?? file.proposals.at(-1)
  if (last === undefined) return html``
  const { names, anomaly } = file
  const { resolution, reason, proposed_by, proposed_at, status: decided, decided_by, decided_at } = last
  const head = say(['Proposé par {name}, {at}', 'Proposed by {name}, {at}'], {
    name: personName(proposed_by, names, say),
    at: writeShortDate(proposed_at, language),
  })
  const decision = decided !== 'proposed' && {
    name: personName(decided_by, names, say),
    at: writeShortDate(decided_at!, language),
  }
  const outcome =
    decision &&
    (decided === 'lapsed'
      ? endOfProposal(say, last, '')
      : decided === 'approved'
        ? say(['Confirmé par {name}, {at}', 'Confirmed by {name}, {at}'], decision)
        : say(['Contesté par {name}, {at}', 'Disputed by {name}, {at}'], decision))
  const why =
    standing === null
      ? null
      : !request.can('cases.decide')
        ? say(['Les opérations ou la finance confirment.', 'Operations or finance confirm.'])
        : canDecideOn(file.reader, [proposed_by])
          ? null
          : say([
              'Vous avez proposé, ou vous avez fait entrer qui propose : une autre personne confirme.',
              'You proposed it, or let in the person who did: another person confirms.',
            ])
  const what = html`<p class="say"><b>${proposalInWords(file, last, say)}</b></p><p>${say(quoted, { text: reason })}</p>`
  const risk =
    anomaly?.closed_at === null &&
    standing !== null &&
    differs([{ same: false, text: sayWords(say, riskWords[resolution]) }])
  const ended = outcome && html`<p class="soft">${outcome}</p>`
  return html`<section aria-labelledby="prop"><h2 id="prop">${head}</h2>${what}
${risk}${ended}${why !== null && html`<p class="hint gap">${why}</p>`}</section>`
}

function effects({ say }: Request, file: CaseFile, standing: ProposalRow): Html {
  const legs = legsOf(file, standing)
  const content =
    legs.length === 0
      ? html`<p>${say(['Aucune écriture : rien ne bouge dans les comptes.', 'No entry: nothing moves in the books.'])}</p>`
      : legsTable(legs, say)
  return panel(say(['Ce qui va s’écrire', 'What will be written']), content)
}

const kinds: Readonly<Record<TimelineEntry['kind'], readonly [IconName, StoryEvent['kind']]>> = {
  prepared: ['clock', undefined],
  committed: ['out', undefined],
  answered: ['in', 'care'],
  asked: ['look', 'care'],
  called: ['bell', undefined],
  anomaly: ['flag', 'bad'],
  moved: ['right', 'ok'],
  person: ['people', 'ok'],
}

function capital(sentence: string): string {
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`
}

/** Merges successive inquiries with the same answer into one line with their number. */
function foldTimeline(timeline: readonly TimelineEntry[]): readonly (TimelineEntry & { times: number; until: Date })[] {
  const folded: (TimelineEntry & { times: number; until: Date })[] = []
  for (const line of timeline) {
    const before = folded.at(-1)
    if (before !== undefined && line.kind === 'asked' && before.kind === 'asked' && before.says.en === line.says.en) {
      folded[folded.length - 1] = { ...before, times: before.times + 1, until: line.at, evidence: line.evidence }
    } else folded.push({ ...line, times: 1, until: line.at })
  }
  return folded
}

function evidence(request: Request, { anomaly, doubt, id }: CaseFile): Html {
  const { say, language, at } = request
  const open = doubt?.open === true && doubt.instruction.state !== 'prepared'
  const ask =
    open &&
    form(
      request,
      at(`/cases/${id}/ask`),
      html`<button class="second small">${say(['Demander maintenant', 'Ask now'])}</button>`,
      {
        class: 'ask-now',
      },
    )
  const events = foldTimeline(doubt?.timeline ?? []).map((line): StoryEvent => {
    const [icon, kind] = kinds[line.kind]
    const times =
      line.times === 1
        ? ''
        : say([' · {n} fois, jusqu’à {until}', ' · {n} times, until {until}'], {
            n: line.times,
            until: writeShortDate(line.until, language),
          })
    const words = line.evidence
    return {
      at: line.at,
      icon,
      ...(kind === undefined ? {} : { kind }),
      text: capital(`${line.says[language]}${times}`),
      ...(words === null || Object.keys(words).length === 0
        ? {}
        : {
            details: {
              title: say(['Les mots de l’opérateur', 'The operator’s words']),
              content: html`<pre>${JSON.stringify(words, null, 1)}</pre>`,
            },
          }),
    }
  })
  const own =
    doubt === null && anomaly !== null
      ? html`<pre>${JSON.stringify(maskNumbersIn(anomaly.evidence), null, 1)}</pre>`
      : story(events, language)
  return panel(say(['Les preuves', 'The evidence']), own, { ...(ask ? { more: ask } : {}) })
}
