import { writeAccount } from '../../beneficiaries/destination-facts.ts'
import type { ProposalRow } from '../../beneficiaries/proposal-store.ts'
import { backLink, note, pageHead, panel, type StatusShape, shareBar, status } from '../../console/components.ts'
import { errorList, type FieldError, form, hiddenField, textArea } from '../../console/forms.ts'
import { list } from '../../console/list.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeDate, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { type Reader, writePerson } from '../approvals/words.ts'
import { ageInWords } from '../desk/case-words.ts'
import { destinationTitle } from '../settlements/ask-view.ts'
import type { DestinationFacts, NotYours, WaitingProposal } from './destination-facts.ts'
import { ownNumberCard } from './own-number-view.ts'
import { proposePart, type Shown } from './propose-part.ts'

type Request = ScreenRequest<'console'>

const states: Readonly<Record<ProposalRow['status'], readonly [StatusShape, Words]>> = {
  proposed: ['wait', ['À confirmer', 'To confirm']],
  confirmed: ['ok', ['Confirmé', 'Confirmed']],
  refused: ['bad', ['Refusé', 'Refused']],
  withdrawn: ['off', ['Retiré', 'Withdrawn']],
  lapsed: ['off', ['Éteint sans décision', 'Lapsed without a decision']],
}

/** A proposal without the company's notes about its call, which are not the merchant's. */
function withoutCall<Row extends ProposalRow>(proposal: Row) {
  const { called_by: _by, called_number: _number, call_report: _report, ...row } = proposal
  return row
}

function readerOf({ say, actor }: Request, { names }: Pick<DestinationFacts, 'names'>): Reader {
  return { say, names, me: actor.person }
}

/** The page of the destination: the current one, the next one with its time, and the people who decide. */
export function destinationView(request: Request, facts: DestinationFacts, shown: Shown): ScreenView {
  const { say, at } = request
  const title = say(['Où va votre argent', 'Where your money goes'])
  const { errors = [], refused } = shown
  const lead = facts.has_second
    ? say(['Une personne propose, une autre confirme.', 'One person proposes, another confirms.'])
    : say(['Votre numéro, ou un autre compte après notre rappel.', 'Your number, or another account after our call.'])
  const today = todayPart(request, facts, shown.now)
  // A person who decides sees the decision without scrolling.
  const waiting = waitingPart(request, facts, errors)
  const parts = facts.waiting?.not_yours === null ? [waiting, today] : [today, waiting]
  const { own_number, cooling_hours } = facts
  const own = own_number !== null && ownNumberCard(request, own_number, cooling_hours, errors)
  const main = html`${backLink(at('/settlements'), say(['Retirer mon argent', 'Withdraw my money']))}
${pageHead({ title, lead })}
${refused !== undefined && html`<div role="alert">${note('bad', null, refused)}</div>`}${errorList(say, errors)}
<div class="stack"><div class="two"><article class="slip">${parts}</article>
<div class="stack">${own}${proposePart(request, facts, shown)}</div></div>
${pastPart(request, facts)}</div>`
  const { designated, past, known, has_second } = facts
  const masked = facts.waiting && { ...withoutCall(facts.waiting), account: undefined }
  const chosen = { designated, waiting: masked, past: past.map(withoutCall), known, cooling_hours, has_second }
  const view = { ...chosen, own_number: own_number !== null, errors, refused: refused ?? null }
  const code = refused !== undefined ? 409 : errors.length > 0 ? 422 : 200
  return { kind: 'view', status: code, title, main, facts: view }
}

function todayPart(request: Request, { designated, past, names, cooling_hours }: DestinationFacts, now: Date): Html {
  const { say, language } = request
  if (designated === null) return noDestination(say)
  const { designated_at, serves_from, has_cooled } = designated
  const change = past.find(
    ({ status: state, beneficiary_id, stopped_by }) =>
      state === 'confirmed' && beneficiary_id === designated.id && stopped_by === null,
  )
  const head = html`<h2>${destinationTitle(request, designated)}</h2><p>${designated.name}</p>`
  const by = change === undefined ? null : peopleOf(request, change, names)
  const day = say(['Désignée le {at}.', 'Designated on {at}.'], { at: writeDate(designated_at, language) })
  const since = html`<p class="hint gap">${day} ${by}</p>`
  if (has_cooled) return html`<section><p class="soft">${say(['Aujourd’hui', 'Today'])}</p>${head}${since}</section>`
  const from = say(['À partir du {at}', 'From {at}'], { at: writeDate(serves_from, language) })
  const left = serves_from.getTime() - now.getTime()
  const done = Math.max(0, Math.min(100, Math.round((1 - left / (cooling_hours * 3_600_000)) * 100)))
  const bar = shareBar(done, { label: say(['{n} % du délai', '{n} % of the delay'], { n: done }), care: true })
  const why = say([
    'Ce délai vous laisse le temps de dire non si ce n’était pas vous. Jusque-là rien ne se retire ; votre argent reste ici.',
    'This delay gives you time to object if it was not you. Until it ends nothing can be withdrawn; your money stays here.',
  ])
  return html`<section><p class="soft">${from}</p>${head}
<p class="gap">${status('wait', say(['Encore {time}', '{time} to go'], { time: ageInWords(left, say) }))}</p>
${bar}
<p class="hint gap">${why}</p>${since}${stopForm(request, designated.id)}</section>`
}

function noDestination(say: Say): Html {
  const text = say(['Tant qu’il n’y en a pas, rien ne peut se retirer.', 'Without one, nothing can be withdrawn.'])
  return html`<section><h2>${say(['Aucune destination', 'No destination'])}</h2><p>${text}</p></section>`
}

/** Lets the people who confirm a change stop it during its delay. */
function stopForm(request: Request, destination: string): Html | false {
  const { say, can, at } = request
  if (!can('destination.confirm')) return false
  const button = html`<button class="stop">${say(['Arrêter ce changement', 'Stop this change'])}</button>`
  const content = html`${hiddenField('destination', destination)}${button}`
  return form(request, at('/destination/stop'), content, { class: 'acts' })
}

/** Writes the two people of a change, or the command that made it. */
function peopleOf(request: Request, proposal: ProposalRow, names: DestinationFacts['names']): Html {
  const { say } = request
  if (proposal.break_glass)
    return html`${say(['Par une commande de l’équipe du service.', 'By a command of the team of the service.'])}`
  const reader = readerOf(request, { names })
  if (proposal.proof_session_id !== null) {
    const own = say([
      'Son propre numéro, prouvé par un paiement et choisi par',
      'An own number, proven by a payment and chosen by',
    ])
    return html`${own} ${writePerson(reader, proposal.proposed_by)}.`
  }
  const proposed = html`${say(['Proposée par', 'Proposed by'])} ${writePerson(reader, proposal.proposed_by)}`
  if (proposal.by_company) {
    const words = say([
      'confirmée par l’équipe du service après un appel.',
      'confirmed by the team of the service after a call.',
    ])
    return html`${proposed}, ${words}`
  }
  return html`${proposed}, ${say(['confirmée par', 'confirmed by'])} ${writePerson(reader, proposal.decided_by!)}.`
}

function waitingPart(request: Request, facts: DestinationFacts, errors: readonly FieldError[]): Html {
  const { waiting } = facts
  if (waiting === null) return html``
  const { say, language } = request
  const reader = readerOf(request, facts)
  const words = destinationTitle(request, waiting)
  const { account, not_yours } = waiting
  const proposed = html`<p class="soft">${say(['Proposée', 'Proposed'])}</p>`
  const title = html`<h2 id="next">${account === null ? words : writeAccount(account)}</h2>`
  const named = account === null ? waiting.name : `${words}, ${waiting.name}`
  const by = html`${say(['Par', 'By'])} ${writePerson(reader, waiting.proposed_by)}`
  const part = not_yours === null ? decidePart(request, waiting, errors) : notYoursPart(request, waiting, not_yours)
  return html`<section aria-labelledby="next">${proposed}${title}<p>${named}</p>
<p class="gap">${status('wait', say(waiting.by_company ? companyCalls : states.proposed[1]))}</p>
<p class="hint">${by}, ${writeShortDate(waiting.proposed_at, language)}.</p></section>
<section class="stack">${part}</section>`
}

const companyCalls: Words = ['Nous vous rappelons', 'We call you back']

function decidePart(request: Request, { id }: WaitingProposal, errors: readonly FieldError[]): Html {
  const { say, at, fields } = request
  const check = say([
    'Vérifiez ce compte avec la personne qui le propose. Confirmé, l’ancien ne sert plus et le délai du nouveau commence.',
    'Check this account with the person who proposes it. Once confirmed, the former one serves no more and the delay of the new one begins.',
  ])
  const confirm = html`<button class="wide">${say(['Confirmer', 'Confirm'])}</button>`
  const agree = form(request, at(`/destination/${id}/confirm`), html`<p>${check}</p>${confirm}`)
  const reason = textArea(
    {
      name: 'reason',
      label: say(['Pourquoi refuser', 'Why refuse']),
      value: fields.text('reason'),
      more: { rows: '2', maxlength: '500' },
    },
    errors,
  )
  const refuse = form(
    request,
    at(`/destination/${id}/refuse`),
    html`${reason}<p class="acts"><button class="stop">${say(['Refuser', 'Refuse'])}</button></p>`,
  )
  return html`${agree}${refuse}`
}

const notYoursWords: Readonly<Record<NotYours, Words>> = {
  own: [
    'Vous l’avez proposée : une autre personne confirme, propriétaire ou approbateur. L’un de vous deux est propriétaire.',
    'You proposed it: another person confirms, an owner or an approver. One of you two is an owner.',
  ],
  let_in: [
    'Vous avez fait entrer qui la propose depuis moins de 90 jours : une autre personne confirme, propriétaire ou approbateur.',
    'You let in within 90 days the person who proposes it: another person confirms, an owner or an approver.',
  ],
  no_right: [
    'Un propriétaire ou un approbateur confirme. Un propriétaire peut vous donner ce rôle.',
    'An owner or an approver confirms. An owner can give you this role.',
  ],
  own_company: [
    'L’équipe du service vous rappelle au numéro de votre contrat et demande les quatre derniers chiffres, jamais un code. Puis deux de ses personnes confirment.',
    'The team of the service calls you back at the number of your contract and asks for the last four digits, never for a code. Then two of its people confirm.',
  ],
  company: [
    'L’équipe du service rappelle la personne qui la propose, puis deux de ses personnes confirment.',
    'The team of the service calls back the person who proposes it, then two of its people confirm.',
  ],
  no_owner: [
    'L’une des deux personnes doit être propriétaire : un propriétaire confirme celle-ci.',
    'One of the two people must be an owner: an owner confirms this one.',
  ],
}

function notYoursPart(request: Request, { id }: WaitingProposal, why: NotYours): Html {
  const { say, at } = request
  const withdraw =
    (why === 'own' || why === 'own_company') &&
    form(
      request,
      at(`/destination/${id}/withdraw`),
      html`<button class="stop">${say(['Retirer la proposition', 'Withdraw the proposal'])}</button>`,
      { class: 'acts' },
    )
  return html`<p>${say(notYoursWords[why])}</p>${withdraw}`
}

function pastPart(request: Request, facts: DestinationFacts): Html {
  const { say, language } = request
  if (facts.past.length === 0) return html``
  const reader = readerOf(request, facts)
  const title = say(['Changements passés', 'Past changes'])
  const table = list<ProposalRow>({
    caption: title,
    rows: facts.past,
    columns: [
      {
        title: say(['Destination', 'Destination']),
        kind: 'k',
        all: true,
        cell: (row) => html`${destinationTitle(request, row)}<span class="sub">${row.name}</span>`,
      },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: (proposal) => standing(request, proposal, reader),
      },
      {
        title: say(['Proposée par', 'Proposed by']),
        label: say(['Proposée par', 'Proposed by']),
        kind: '',
        cell: ({ proposed_by, proposed_at, break_glass }) =>
          break_glass
            ? say(['l’équipe du service', 'the team of the service'])
            : html`${writePerson(reader, proposed_by)}, ${writeShortDate(proposed_at, language)}`,
      },
      {
        title: say(['Décidée par', 'Decided by']),
        label: say(['Décidée par', 'Decided by']),
        kind: '',
        cell: ({ decided_by, decided_at, break_glass, by_company, status: ended }) => {
          const ofService = by_company && ended !== 'withdrawn'
          const other = ofService
            ? say(['l’équipe du service', 'the team of the service'])
            : writePerson(reader, decided_by!)
          const by = break_glass ? say(['une commande', 'a command']) : other
          return html`${by}, ${writeShortDate(decided_at!, language)}`
        },
      },
    ],
  })
  return panel(title, table, { flush: true })
}

/** The state of a past proposal, with why it was refused or who stopped the change. */
function standing(request: Request, proposal: ProposalRow, reader: Reader): Html {
  const { say, language } = request
  const { status: state, reason, stopped_by, stopped_at } = proposal
  if (stopped_by !== null) {
    const by = html`${say(['par', 'by'])} ${writePerson(reader, stopped_by)}`
    const stopped = status('off', say(['Arrêté', 'Stopped']))
    return html`${stopped}<span class="sub">${by}, ${writeShortDate(stopped_at!, language)}</span>`
  }
  const [shape, words] = states[state]
  return html`${status(shape, say(words))}${reason !== null && html`<span class="sub">${reason}</span>`}`
}
