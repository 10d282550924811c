import {
  blank,
  linkButton,
  pageHead,
  panel,
  type Row,
  rows,
  status,
  tile,
  waitingLink,
} from '../../console/components.ts'
import { errorList, type FieldError, field, form, hiddenField } from '../../console/forms.ts'
import { chips, filters, list, pages, rowLink } from '../../console/list.ts'
import type { Say } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import type { ListedMerchant } from '../../merchants/store.ts'
import type { Member } from '../../people/find-persons.ts'
import { roleWords } from '../../people/role-words.ts'
import type { OpenVisit } from '../../people/visits/visit.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeDay } from '../../platform/http/pages/write-values.ts'
import type { Page } from '../../values/page.ts'
import { writeCount } from '../charts/plot.ts'
import { addressOf, ageInWords, standingOf, titleOf } from '../desk/case-words.ts'
import { destinationName } from '../desk/settlement-view.ts'
import { roleStanding } from '../team/role-standing.ts'
import { uncheckedPanel } from './check-panel.ts'
import { type MerchantFile, merchantFacts } from './merchant-facts.ts'
import { termRows } from './term-rows.ts'

type Request = ScreenRequest<'desk'>

/** The list of all merchants, or of those that a search finds, in the order of their numbers. */
export function merchantListView(request: Request, search: string, page: Page<ListedMerchant>): ScreenView {
  const { say, at, query, language, can } = request
  const title = say(['Marchands', 'Merchants'])
  const typed = search === '' ? '' : `q=${encodeURIComponent(search)}`
  const content =
    page.rows.length === 0
      ? blank('shop', {
          title: say(['Aucun marchand ici', 'No merchant here']),
          text:
            search === ''
              ? say(['La commande merchant create en ouvre un.', 'The command merchant create opens one.'])
              : say(['Essayez une autre partie du nom, ou le numéro.', 'Try another part of the name, or the number.']),
        })
      : list<ListedMerchant>({
          caption: title,
          rows: page.rows,
          size: 'few',
          columns: [
            {
              title: say(['Marchand', 'Merchant']),
              kind: 'k',
              all: true,
              cell: ({ merchant_id, name }) =>
                rowLink(at(`/merchants/${merchant_id}`), name, say(['n° {id}', 'no. {id}'], { id: merchant_id })),
            },
            { title: say(['État', 'State']), kind: 's', cell: (merchant) => activity(merchant, request) },
            {
              title: say(['Frais', 'Fees']),
              kind: '',
              label: say(['Frais', 'Fees']),
              cell: ({ fees }) =>
                fees.length === 0
                  ? html`<b class="care-ink">${say(['aucun', 'none set'])}</b>`
                  : fees
                      .map((service) =>
                        service === 'payout'
                          ? say(['sur envois', 'on payouts'])
                          : say(['sur paiements', 'on payments']),
                      )
                      .join(', '),
            },
            {
              title: say(['Client depuis', 'Client since']),
              kind: 't',
              cell: ({ created_at }) => writeDay(created_at, language),
            },
          ],
        })
  const looking = field({
    name: 'q',
    label: say(['Nom ou numéro', 'Name or number']),
    value: search,
    type: 'search',
    more: { maxlength: '100' },
  })
  const on =
    search === '' ? [] : [{ text: say(['« {text} »', '“{text}”'], { text: search }), without: at('/merchants') }]
  const turn = pages(
    say,
    {
      newer: query.has('after') ? at(`/merchants${typed && `?${typed}`}`) : null,
      older: page.after === null ? null : at(`/merchants?${typed && `${typed}&`}after=${page.after}`),
    },
    [
      ['Depuis le début', 'Back to the start'],
      ['Les suivants', 'Next'],
    ],
  )
  const acts = can('merchants.manage') && linkButton(at('/merchants/new'), say(['Nouveau marchand', 'New merchant']))
  const searching = filters(say, say(['Chercher un marchand', 'Find a merchant']), looking)
  const found = panel(null, content, { flush: page.rows.length > 0 })
  const main = html`${pageHead({ title, acts })}${searching}${chips(say, on, null)}${found}${turn}`
  return { kind: 'view', title, main, facts: { merchants: page.rows, has_more: page.after !== null } }
}

function activity(
  { active, is_checked }: Pick<ListedMerchant, 'active' | 'is_checked'>,
  { say }: Pick<Request, 'say'>,
): Html {
  if (active && !is_checked) return status('wait', say(['À vérifier', 'To check']))
  return active ? status('ok', say(['Actif', 'Active'])) : status('off', say(['Suspendu', 'Suspended']))
}

type Visiting = OpenVisit & { readonly console: string }

/** The page of one merchant: its status and money, its cases, its terms, its people, and the possible acts. */
export function merchantView(
  request: Request,
  file: MerchantFile,
  at_hand: {
    now: Date
    /** The reader's current visit, with the address of the merchant's console. */
    visit?: Visiting | null
    /** The page of the merchant's console that the reader came for (`consolePageOf`). Empty: none. */
    operation?: string
    errors?: readonly FieldError[]
  },
): ScreenView {
  const { now, visit = null, operation = '', errors = [] } = at_hand
  const { say, at, language, can } = request
  const { merchant, people } = file
  const { merchant_id, name, active, created_at } = merchant
  const known = say(['n° {id} · client depuis le {since} · ', 'no. {id} · client since {since} · '], {
    id: merchant_id,
    since: writeDay(created_at, language),
  })
  const lead = html`${known}${activity(merchant, request)}`
  const traces =
    can('audit.read') && html`<a href="${at(`/audit?merchant=${merchant_id}`)}">${say(['Ses traces', 'Audit log'])}</a>`
  const money =
    can('deposits.record') &&
    html` · <a href="${at(`/merchants/${merchant_id}/money`)}">${say(['Dépôt et ajustement', 'Deposit and adjustment'])}</a>`
  const dossier = html` · <a href="${at(`/merchants/${merchant_id}/file`)}">${say(['Dossier', 'File'])}</a>`
  const refund =
    can('refunds.manage') &&
    html` · <a href="${at(`/refunds/find?merchant=${merchant_id}`)}">${say(['Rembourser un paiement', 'Refund a payment'])}</a>`
  const standing = html`<p>${standingWords(request, active)} ${traces}${dossier}${money}${refund}</p>`
  const unchecked = uncheckedPanel(request, merchant_id, file.unchecked_day_max)
  const looking = lookPanel(request, merchant_id, { visit, operation }, errors)
  const main = html`${pageHead({ title: name, lead })}${errorList(say, errors)}
<div class="stack">${standing}${unchecked}${balanceTiles(request, file)}${receivedPanel(request, file)}
<div class="two">${heldPanel(request, file, now)}${termsPanel(request, file)}</div>
${peoplePanel(request, merchant_id, people)}${looking}${standingForm(request, merchant)}</div>`
  const facts = { ...merchantFacts(file), visit, errors }
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title: name, main, facts }
}

function standingWords({ say, livemode }: Request, active: boolean): string {
  if (!active)
    return say([
      'Il lit ses comptes, mais n’encaisse et n’envoie rien, dans les deux modes.',
      'It can read its accounts, but neither collect nor pay out, in both modes.',
    ])
  return livemode
    ? say(['Il encaisse et envoie de l’argent réel.', 'It collects and pays out real money.'])
    : say(['Il encaisse et envoie en test.', 'It collects and pays out in test mode.'])
}

function balanceTiles({ say }: Request, { balances }: MerchantFile): Html {
  const tiles = [
    tile(say(['Nous lui devons', 'We owe it']), balances.available),
    tile(say(['Solde d’envoi', 'Payout balance']), balances.transfer),
    tile(say(['Envois en cours', 'Payouts under way']), balances.payouts_in_flight),
    tile(say(['Reversements en cours', 'Settlements under way']), balances.settlements_in_flight),
  ]
  return html`<section aria-label="${say(['Soldes', 'Balances'])}" class="tiles even">${tiles}</section>`
}

function termsPanel(request: Request, file: MerchantFile): Html {
  const { say, at } = request
  const { merchant_id } = file.merchant
  const fees = html`<a href="${at(`/merchants/${merchant_id}/fees`)}">${say(['Frais', 'Fees'])}</a>`
  const caps = html`<a href="${at(`/merchants/${merchant_id}/caps`)}">${say(['Plafonds', 'Caps'])}</a>`
  const facts = rows([...termRows(request, file.terms), destinationRow(request, file)])
  return panel(say(['Ce qui vaut pour lui', 'Its terms']), facts, { more: html`${fees} ${caps}` })
}

function receivedPanel({ say }: Request, { received: { done, amount, fees, lost } }: MerchantFile): Html {
  return panel(
    say(['Reçu en 30 jours', 'Received in 30 days']),
    rows([
      { name: say(['Paiements réussis', 'Payments that succeeded']), value: writeCount(done) },
      { name: say(['Échoués ou expirés', 'Failed or expired']), value: writeCount(lost) },
      { name: say(['Nos frais', 'Our fees']), value: writeAmount(fees) },
      { name: say(['Somme reçue', 'Sum received']), value: writeAmount(amount), all: true },
    ]),
  )
}

function heldPanel({ say, at, can }: Request, { cases }: MerchantFile, now: Date): Html {
  const title = say(['Ce qui le retient', 'What is waiting'])
  if (!can('cases.read') || cases.length === 0) {
    return panel(
      title,
      html`<p class="soft">${say(['Rien n’attend une personne.', 'Nothing waits for a person.'])}</p>`,
    )
  }
  const held = cases.reduce((sum, one) => sum + one.held, 0)
  const links = cases.map((one) => {
    const age = ageInWords(now.getTime() - one.since.getTime(), say)
    const words = html`<b>${titleOf(one.about, say)}</b> ${standingOf(one, say)}`
    const under = one.held > 0 ? `${writeAmount(one.held)}, ${age}` : age
    return waitingLink(at(addressOf(one)), { icon: 'hand', kind: 'care', words, under })
  })
  return panel(title, html`<div class="todo">${links}</div>`, {
    flush: true,
    more: html`<span class="soft">${writeAmount(held)}</span>`,
  })
}

function destinationRow({ say, language }: Request, { destination }: MerchantFile): Row {
  const name = say(['Reversements vers', 'Settlements to'])
  if (destination === null) return { name, value: say(['aucune destination', 'no destination']) }
  const { operator, last4, designated_at } = destination
  const shown = destinationName({ operator, last4, account_type: operator === null ? 'bank_account' : 'wallet' })
  const since = say(['désignée le {at}', 'designated {at}'], { at: writeDay(designated_at, language) })
  return { name, value: html`${shown}<span class="sub">${since}</span>` }
}

/** The panel that begins a visit of the merchant's console, with a reason, or ends it. */
function lookPanel(
  request: Request,
  merchant_id: number,
  { visit, operation }: { visit: Visiting | null; operation: string },
  errors: readonly FieldError[],
): Html | false {
  const { say, at, can, fields } = request
  if (!can('merchants.look')) return false
  const title = say(['Lire sa console', 'Read its console'])
  if (visit !== null) {
    const until = say(
      ['Vous lisez pour «\u00a0{reason}\u00a0», jusqu’à {until}.', 'You read for “{reason}”, until {until}.'],
      {
        reason: visit.reason,
        until: visit.ends_at.toISOString().slice(11, 16),
      },
    )
    const sought =
      operation !== '' &&
      linkButton(`${visit.console}${operation}`, say(['Ouvrir la page cherchée', 'Open the page that you look for']))
    const open = linkButton(
      visit.console,
      say(['Ouvrir sa console', 'Open its console']),
      operation === '' ? '' : 'second',
    )
    const finish = html`<button class="second">${say(['Finir la lecture', 'End the visit'])}</button>`
    const end = form(request, at(`/merchants/${merchant_id}/look-end`), html`${sought}${open}${finish}`, {
      class: 'acts',
    })
    return panel(title, html`<p>${until}</p>${end}`, { id: 'look' })
  }
  const label = say(['Pourquoi', 'Why'])
  const hint = say([
    'Une demi-heure, sans rien changer. Le marchand voit votre nom et cette raison.',
    'Half an hour, changing nothing. The merchant sees your name and this reason.',
  ])
  const reason = field(
    { name: 'reason', label, hint, value: fields.text('reason'), more: { maxlength: '200' } },
    errors,
  )
  const begin = html`<button class="second">${say(['Lire sa console', 'Read its console'])}</button>`
  const content = html`${operation !== '' && soughtPage(say, operation)}${reason}${begin}`
  return panel(title, form(request, at(`/merchants/${merchant_id}/look`), content), { id: 'look' })
}

/** The page that the reader came for, kept in the form that begins the visit. */
function soughtPage(say: Say, operation: string): Html {
  const sought = operation.split(/[/=]/).at(-1)
  const has = say(['Ce marchand l’a : sa console l’ouvre.', 'This merchant has it: its console opens it.'])
  const words = html`${say(['Vous cherchez', 'You look for'])} <span class="id">${sought}</span>. ${has}`
  return html`${hiddenField('operation', operation)}<p>${words}</p>`
}

/** The form that suspends or activates a merchant, for people with the right. */
function standingForm(request: Request, { merchant_id, active }: MerchantFile['merchant']): Html | false {
  const { say, at, can } = request
  if (!can('merchants.manage')) return false
  const to = at(`/merchants/${merchant_id}/${active ? 'deactivate' : 'activate'}`)
  const button = active
    ? html`<button class="stop">${say(['Suspendre ce marchand', 'Suspend this merchant'])}</button>`
    : html`<button>${say(['Réactiver ce marchand', 'Activate this merchant'])}</button>`
  return form(request, to, button, { class: 'acts' })
}

function peoplePanel({ say, at, can }: Request, merchant_id: number, people: MerchantFile['people']): Html {
  const title = say(['Personnes', 'People'])
  const rolesOf = ({ roles }: Pick<Member, 'roles'>) =>
    roles.map(
      (held) =>
        html`<span class="tag${!held.counts && ' care'}">${say(roleWords[held.role])}${roleStanding(say, held)}</span> `,
    )
  const content =
    people.length === 0
      ? nobodyYet({ say, at, can }, merchant_id)
      : list<MerchantFile['people'][number]>({
          caption: title,
          rows: people,
          size: 'few',
          columns: [
            { title: say(['Personne', 'Person']), kind: 'k', all: true, cell: ({ name }) => name },
            { title: say(['Rôles', 'Roles']), kind: '', cell: (member) => html`${rolesOf(member)}` },
          ],
        })
  const alone = html`<a href="${at(`/merchants/${merchant_id}/single-person`)}">${say(['Décider seul', 'Decide alone'])}</a>`
  return panel(title, content, { flush: people.length > 0, more: alone })
}

function nobodyYet({ say, at, can }: Pick<Request, 'say' | 'at' | 'can'>, merchant_id: number): Html {
  const words = say([
    'Personne n’entre encore. Un administrateur invite son propriétaire.',
    'Nobody signs in yet. An administrator invites its owner.',
  ])
  const to = at(`/people/invite-owner?merchant=${merchant_id}`)
  const invite = linkButton(to, say(['Inviter son propriétaire', 'Invite its owner']), 'second')
  return html`<p class="soft">${words}</p>${can('people.manage') && html`<p class="acts">${invite}</p>`}`
}
