import { writeAccount } from '../../beneficiaries/destination-facts.ts'
import { backLink, id, linkButton, note, pageHead, panel, rows, status, toCopy } from '../../console/components.ts'
import { errorList, type FieldError, field, form, hiddenField } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { moveToTransfer } from '../../ledger/fill-transfer.ts'
import type { Deposit, NamedFilling } from '../../ledger/store.ts'
import { roleWords } from '../../people/role-words.ts'
import type { DepositAccount } from '../../platform/config.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeShortDay } from '../../platform/http/pages/write-values.ts'
import { type MerchantRole, rolesWith } from '../../values/rights.ts'

type Request = ScreenRequest<'console'>

/** The facts of the page. Amounts are in francs. */
export type FillFacts = {
  readonly transfer: number
  readonly available: number
  /** The reference that a transfer at the bank carries. */
  readonly reference: string
  readonly account: DepositAccount | null
  readonly deposits: readonly Deposit[]
}

export type FillForm = {
  readonly facts: FillFacts
  readonly key: string
  readonly errors: readonly FieldError[]
  readonly code: string | null
}

const back = ({ say, at }: Request) => backLink(at('/payouts'), say(['Envois', 'Payouts']))

/** The two ways to fill the payout balance: from the available one, or by a transfer at the bank. */
export function fillView(request: Request, { facts, key, errors, code }: FillForm): ScreenView {
  const { say, can } = request
  const title = say(['Recharger les envois', 'Top up payouts'])
  const there = say(['Il y a {sum} pour vos envois.', 'There are {sum} for your payouts.'], {
    sum: writeAmount(facts.transfer),
  })
  const [said] = errors.filter(({ field: about }) => about !== 'amount')
  const refused = said && html`<div role="alert">${note('bad', null, said.text)}</div>`
  const own = can('payouts.fund') ? moveForm(request, facts, key, errors) : whoMay(request, facts)
  const main = html`${back(request)}
${pageHead({ title, lead: there })}
${refused}${errorList(
  say,
  errors.filter(({ field: about }) => about === 'amount'),
)}
<div class="half">${own}${bankPanel(request, facts)}</div>`
  const shown = { ...facts, error: code === null ? null : { code } }
  return { kind: 'view', ...(code !== null && { status: 422 }), title, main, facts: shown }
}

function moveForm(request: Request, { available }: FillFacts, key: string, errors: readonly FieldError[]): Html {
  const { say, at, fields } = request
  const { amount } = moveToTransfer.fields
  const typed = {
    name: 'amount',
    label: say(['Montant, F CFA', 'Amount, F CFA']),
    value: fields.text('amount'),
    more: { inputmode: 'numeric', autocomplete: 'off', maxlength: '24' },
  }
  const have = say(['{sum} disponibles. Tout de suite, sans frais.', '{sum} available. At once, free of charge.'], {
    sum: writeAmount(available),
  })
  const title = say(['Depuis votre argent disponible', 'From your available money'])
  const content = html`<header><h2>${title}</h2><p class="soft">${have}</p></header>
<div class="stack">${hiddenField('key', key)}${field(
    typed,
    errors.filter(({ field: about }) => about in { amount }),
  )}
<button class="wide">${say(['Transférer', 'Transfer'])}</button></div>`
  return form(request, at('/fill'), content, { class: 'slip' })
}

function whoMay({ say }: Request, { available }: FillFacts): Html {
  const roles = rolesWith('payouts.fund').map((role) => say(roleWords[role as MerchantRole]))
  const text = say(
    [
      '{sum} sont disponibles. Une personne avec l’un de ces rôles peut les passer à vos envois : {roles}.',
      '{sum} are available. A person with one of these roles can move them to your payouts: {roles}.',
    ],
    { sum: writeAmount(available), roles: roles.join(', ') },
  )
  return panel(say(['Depuis votre argent disponible', 'From your available money']), html`<p>${text}</p>`)
}

function bankPanel(request: Request, { reference, account, deposits }: FillFacts): Html {
  const { say, language, livemode } = request
  const ask = say([
    'Faites un virement depuis votre banque, avec cette référence :',
    'Make a transfer from your bank, with this reference:',
  ])
  const copy = toCopy(reference, { say, words: say(['Copier la référence', 'Copy the reference']) })
  const to =
    account === null
      ? html`<p>${say(['Demandez le compte à l’équipe du service.', 'Ask the team of the service for the account.'])}</p>`
      : rows([
          { name: say(['Au nom de', 'Holder']), value: account.holder },
          { name: say(['Banque', 'Bank']), value: account.bank },
          { name: 'IBAN', value: id(writeAccount(account.iban)) },
        ])
  const later = say([
    'Notre équipe l’inscrit à son arrivée : il paraît alors ici.',
    'Our team books it when it arrives: it then shows here.',
  ])
  const inTest = say([
    'En mode test il n’y a pas de virement : l’équipe inscrit un dépôt d’essai.',
    'In test mode there is no transfer: the team books a trial deposit.',
  ])
  const booked = rows(
    deposits.map(({ amount, reference: named, created_at }) => ({
      name: `${writeShortDay(created_at, language)}, ${named}`,
      value: html`${writeAmount(amount)}<br>${status('ok', say(['Reçu', 'Received']))}`,
    })),
  )
  const list = deposits.length > 0 && html`<h3 class="gap">${say(['Vos virements', 'Your transfers'])}</h3>${booked}`
  const title = say(['Par virement bancaire', 'By bank transfer'])
  return panel(
    title,
    html`<p>${ask}</p>${copy}<div class="gap">${to}</div><p class="hint gap">${livemode ? later : inTest}</p>${list}`,
  )
}

/** The sum that was moved, in place of the form. */
export function filledView(request: Request, facts: FillFacts, { amount }: NamedFilling): ScreenView {
  const { say, at, can } = request
  const title = say(['Rechargé', 'Topped up'])
  const now = say(['Il y a maintenant {sum} pour vos envois.', 'There are now {sum} for your payouts.'], {
    sum: writeAmount(facts.transfer),
  })
  const send =
    can('payouts.make') &&
    html`<a class="button wide" href="${at('/send')}">${say(['Envoyer de l’argent', 'Send money'])}</a>`
  const list = linkButton(at('/payouts'), say(['Voir les envois', 'See the payouts']), 'quiet')
  const head = html`<span class="icon">${icon('ok')}</span><h1>${title} ${drawAmount(amount)}</h1><p class="say">${now}</p>`
  const main = html`${back(request)}
<div class="narrow"><article class="slip"><header aria-live="polite">${head}</header>
<div class="stack">${send}${list}</div></article></div>`
  return { kind: 'view', title, main, facts: { ...facts, moved: amount } }
}
