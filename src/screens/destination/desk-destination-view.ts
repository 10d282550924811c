import { refusalOf } from '../../acts/act.ts'
import { canDecideOn } from '../../acts/second-person.ts'
import { confirmCallBack, noteCallBack, refuseCallBack } from '../../beneficiaries/call-back.ts'
import { writeAccount } from '../../beneficiaries/destination-facts.ts'
import type { ProposalRow } from '../../beneficiaries/proposal-store.ts'
import { actField, actFields } from '../../console/acts/act-fields.ts'
import { blank, differs, note, pageHead, panel, rows, status } from '../../console/components.ts'
import { decideBar, type FieldError, form } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import { list, rowLink } from '../../console/list.ts'
import { quoted } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import { ageInWords, personName } from '../desk/case-words.ts'
import { type Around, subjectPage } from '../desk/subject-page.ts'
import { destinationTitle } from '../settlements/ask-view.ts'
import type { CallBack } from './desk-destination-facts.ts'

type Request = ScreenRequest<'desk'>

/** The list of the destinations that wait for the company. */
export function deskDestinationsView(
  { say, at }: Request,
  waiting: readonly ProposalRow[],
  merchants: ReadonlyMap<number, string>,
  now: Date,
): ScreenView {
  const title = say(['Destinations à confirmer', 'Destinations to confirm'])
  const content =
    waiting.length === 0
      ? blank('ok', {
          title: say(['Aucune destination n’attend', 'No destination waits']),
          text: say([
            'Un marchand d’une seule personne la propose dans sa console.',
            'A merchant of one person proposes it in its console.',
          ]),
        })
      : list<ProposalRow>({
          caption: title,
          rows: waiting,
          size: 'few',
          columns: [
            {
              title: say(['Marchand', 'Merchant']),
              kind: 'k',
              all: true,
              cell: ({ id, merchant_id, name }) =>
                rowLink(at(`/destinations/${id}`), merchants.get(merchant_id) ?? String(merchant_id), name),
            },
            {
              title: say(['État', 'State']),
              kind: 's',
              cell: ({ called_by }) => status('wait', say(called_by === null ? toCall : toConfirm)),
            },
            {
              title: say(['Âge', 'Age']),
              kind: 't',
              cell: ({ proposed_at }) => ageInWords(now.getTime() - proposed_at.getTime(), say),
            },
          ],
        })
  const main = html`${pageHead({ title })}${panel(null, content, { flush: waiting.length > 0 })}`
  const shown = waiting.map(({ id, merchant_id, called_by }) => ({ id, merchant_id, called: called_by !== null }))
  return { kind: 'view', title, main, facts: { destinations: shown } }
}

const toCall = ['À appeler', 'To call'] as const
const toConfirm = ['À confirmer par une deuxième personne', 'To confirm by a second person'] as const

const ended = {
  confirmed: ['ok', ['Confirmé', 'Confirmed']],
  refused: ['bad', ['Arrêté', 'Stopped']],
  withdrawn: ['off', ['Retiré par le marchand', 'Withdrawn by the merchant']],
  lapsed: ['off', ['Éteint sans décision', 'Lapsed without a decision']],
} as const

/** The page of one destination: the call to make, or the evidence of the call for the second person. */
export function deskDestinationView(
  request: Request,
  facts: CallBack,
  around: Around,
  errors: readonly FieldError[],
): ScreenView {
  const { say, can } = request
  const { proposal, account, cooling_hours } = facts
  const { id, name, proposed_by, called_by, status: state } = proposal
  const open = state === 'proposed'
  const may = can(noteCallBack.right) && canDecideOn(around.reader, [proposed_by])
  const deciding = open && called_by !== null && may && canDecideOn(around.reader, [called_by])
  const [shape, words] = open ? (['wait', called_by === null ? toCall : toConfirm] as const) : ended[state]
  // The caller hears the end of the account, and reads it nowhere before.
  const end = account === null ? '••••' : proposal.last4
  const title = destinationTitle(request, { ...proposal, last4: end })
  const after = say(['Sert {n} h après l’accord.', 'In use {n} h after the agreement.'], { n: cooling_hours })
  return subjectPage(request, id, around, errors, {
    back: { to: '/destinations', words: say(['Destinations à confirmer', 'Destinations to confirm']) },
    title,
    standing: status(shape, say(words)),
    amount: null,
    line: html`${name} · <b>${around.merchant}</b>. ${open && after}`,
    slip: html`${callPart(request, facts, around)}${why(request, { open, may, deciding, called: called_by !== null })}
${open && may && called_by === null && callForm(request, id, errors)}${deciding && twoButtons(request, id)}`,
    below: open && may && stopForm(request, id, errors),
    beside: askedPanel(request, facts, around),
    open,
    facts: { proposal: { ...proposal, last4: end }, merchant: around.merchant, account: account !== null },
    deciding,
  })
}

function why({ say }: Request, is: { open: boolean; may: boolean; deciding: boolean; called: boolean }): Html | false {
  if (!is.open || is.deciding || (is.may && !is.called)) return false
  const role = say(['La conformité appelle et confirme.', 'Compliance calls and confirms.'])
  const text = is.may ? say(refusalOf(confirmCallBack, 'same_person').words) : role
  return html`<div><p class="hint">${text}</p></div>`
}

function callForm(request: Request, id: string, errors: readonly FieldError[]): Html {
  const { say, at } = request
  const script = say([
    '« Vous avez demandé un changement de destination. Quels sont les quatre derniers chiffres du compte ? » Ne les dites pas vous-même. Ne demandez aucun code.',
    '“You asked to change a destination. What are the last four digits of the account?” Do not say them yourself. Ask for no code.',
  ])
  const fields = actFields(request, noteCallBack.fields, errors)
  const button = html`<button class="wide">${icon('phone')}${say(['Appel fait : noter', 'Called: note it'])}</button>`
  return form(request, at(`/destinations/${id}/call`), html`${note('plain', null, script)}${fields}${button}`)
}

function twoButtons(request: Request, id: string): Html {
  const { say, at } = request
  const no = { to: '#refuse', words: say(['Arrêter', 'Stop']), asks: true }
  return decideBar(request, no, { to: at(`/destinations/${id}/confirm`), words: say(['Confirmer', 'Confirm']) })
}

function stopForm(request: Request, id: string, errors: readonly FieldError[]): Html {
  const { say, at } = request
  const title = say(['Elle n’a rien demandé : arrêter', 'They asked for nothing: stop it'])
  const reason = actField(request, 'reason', refuseCallBack.fields.reason, errors)
  const content = html`${reason}<button class="stop">${say(['Arrêter la demande', 'Stop the request'])}</button>`
  return panel(title, form(request, at(`/destinations/${id}/refuse`), content), { id: 'refuse' })
}

/** The call that was noted, for the second person. */
function callPart({ say, language }: Request, { proposal, account }: CallBack, { names }: Around): Html | false {
  const { called_by, called_at, called_number, call_report, reason } = proposal
  if (called_by === null) return reason !== null && html`<div><p>${say(quoted, { text: reason })}</p></div>`
  const facts = rows([
    { name: say(['Compte ou numéro', 'Account or number']), value: writeAccount(account!) },
    { name: say(['Appelé par', 'Called by']), value: personName(called_by, names, say) },
    { name: say(['Quand', 'When']), value: writeShortDate(called_at!, language) },
    { name: say(['Numéro', 'Number']), value: called_number },
    { name: say(['Dit', 'Said']), value: call_report },
    reason !== null && { name: say(['Arrêté parce que', 'Stopped because']), value: reason },
  ])
  const digits = say([
    'Les quatre chiffres dits sont ceux du compte.',
    'The four digits that were said are those of the account.',
  ])
  return html`<section aria-labelledby="call"><h2 id="call">${say(['L’appel', 'The call'])}</h2>
${differs([{ same: true, text: digits }])}${facts}</section>`
}

function askedPanel(request: Request, { proposal, designated }: CallBack, { names }: Around): Html {
  const { say, language } = request
  const { proposed_by, proposed_at, name } = proposal
  const owner = personName(proposed_by, names, say)
  const sameName = owner.toLowerCase() === name.toLowerCase()
  const today = designated === null ? say(['aucune', 'none']) : destinationTitle(request, designated)
  const named = sameName
    ? say(['Le nom du compte est celui de la personne.', 'The name of the account is the person’s.'])
    : html`<b>${say(['Un autre nom que celui de la personne.', 'Another name than the person’s.'])}</b>`
  const facts = rows([
    { name: say(['Aujourd’hui', 'Today']), value: today },
    designated !== null && {
      name: say(['Depuis', 'Since']),
      value: writeShortDate(designated.designated_at, language),
    },
    { name: say(['Au nom de', 'Holder']), value: name },
    { name: say(['Par', 'By']), value: html`${owner}, ${writeShortDate(proposed_at, language)}` },
  ])
  const title = say(['Ce qui est demandé', 'What is asked'])
  return panel(title, html`${facts}${differs([{ same: sameName, text: named }])}`)
}
