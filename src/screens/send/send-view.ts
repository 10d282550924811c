import { actField } from '../../console/acts/act-fields.ts'
import {
  backLink,
  figures,
  linkButton,
  note,
  operatorName,
  pageHead,
  panel,
  rows,
  waitingLink,
} from '../../console/components.ts'
import { errorList, type FieldError, field, form, hiddenField, select } from '../../console/forms.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { makePayout } from '../../payouts/make-payout.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { type OperatorCode, operatorCodes, operatorNames } from '../../values/operators.ts'
import { writeFrancs } from '../../values/read-typed.ts'
import { operatorOf } from '../approvals/parts.ts'
import { writeWholeNumber } from '../approvals/words.ts'
import { type StopOf, stopNotes } from '../stop-note.ts'
import type { Recipient, SendFacts } from './send-facts.ts'

type Request = ScreenRequest<'console'>

export type SendForm = {
  readonly facts: SendFacts
  /** The person whom the form is for. Null: the number is typed. */
  readonly recipient: Recipient | null
  /** The operators to choose from. */
  readonly operators: readonly OperatorCode[]
  /** The stops of the company that concern this merchant. */
  readonly stops: readonly StopOf[]
  readonly key: string
  readonly errors: readonly FieldError[]
  /** The reason of a refusal, for programs. */
  readonly code: string | null
}

const listOfPayouts = ['Envois', 'Payouts'] as const

/** The form of a payout to one number: to a typed one, or to a known person. */
export function sendView(request: Request, page: SendForm): ScreenView {
  const { say, at } = request
  const { facts, recipient, stops, errors, code } = page
  // A known person whose operator is not connected any more: the form is open, so that another one can be chosen.
  const isFixed = recipient !== null && recipient.operator !== null && code !== 'not_served'
  const fixed = isFixed ? recipient : null
  const title =
    fixed === null
      ? say(['Envoyer de l’argent', 'Send money'])
      : say(['Envoyer à {name}', 'Send to {name}'], { name: fixed.name ?? writeNumberEnd(fixed.msisdn.slice(-4)) })
  const lead = fixed && html`${operatorName(fixed.operator)} · ${figures(writeWholeNumber(fixed.msisdn))}`
  const [said] = errors.filter(({ field: about }) => about === 'main')
  const refused = said && html`<div role="alert">${note('bad', null, said.text)}</div>`
  const main = html`${backLink(at('/payouts'), say(listOfPayouts))}
${pageHead({ title, lead })}
${refused}${stopNotes(request, stops)}${errorList(
  say,
  errors.filter(({ field: about }) => about !== 'main'),
)}
<div class="two">${sendForm(request, page, fixed)}
<div class="stack">${fixed === null && recentPanel(request, facts)}${balancePanel(request, facts, code)}
${fixed === null && severalPanel(request)}</div></div>`
  const about = recipient && { from: recipient.from, id: recipient.id, operator: recipient.operator }
  return {
    kind: 'view',
    ...(code !== null && { status: statusOf(code) }),
    title,
    main,
    facts: { transfer: facts.transfer, stops, recipient: about, error: code === null ? null : { code } },
  }
}

function statusOf(code: string): number {
  return code.startsWith('idempotency') || code === 'merchant_inactive' || code === 'busy' ? 409 : 422
}

function sendForm(request: Request, page: SendForm, fixed: Recipient | null): Html {
  const { say, at, fields, language } = request
  const { recipient, key, errors } = page
  const { last = null } = recipient ?? {}
  const act = makePayout.fields
  const typed = (name: string, otherwise = '') => (fields.text('key') === '' ? otherwise : fields.text(name))
  const amount = field(
    {
      name: 'amount',
      label: say(act.amount.form.label),
      value: typed('amount', last === null ? '' : writeFrancs(last.amount)),
      ...(last !== null && {
        hint: say(['Comme la dernière fois, le {when}.', 'As last time, on {when}.'], {
          when: writeShortDate(last.at, language),
        }),
      }),
      more: { inputmode: 'numeric', autocomplete: 'off', maxlength: '24' },
    },
    errors,
  )
  const purpose = field(
    {
      name: 'purpose',
      label: say(act.purpose.form.label),
      value: typed('purpose', last?.purpose ?? ''),
      more: { autocomplete: 'off', maxlength: '80' },
    },
    errors,
  )
  const to = fixed === null ? numberField(request, page, typed) : hiddenRecipient(fixed)
  const operator = fixed === null && operatorField(request, page, typed('operator'))
  const name = fixed === null && actField(request, 'name', act.name, errors)
  // A typed number takes the place of an entry of the book.
  const isNamed = recipient !== null && (fixed !== null || recipient.from === 'payout')
  const source = isNamed && hiddenField(recipient.from === 'book' ? 'beneficiary' : 'again', recipient.id)
  const button = html`<button class="wide">${say(['Continuer', 'Continue'])}</button>`
  const calm = html`<p class="hint">${say(['Rien ne part encore.', 'Nothing leaves yet.'])}</p>`
  const typedFields = html`${to}${amount}${operator}${purpose}${name}`
  const content = html`<div class="stack">${hiddenField('key', key)}${source}${typedFields}${button}${calm}</div>`
  return form(request, at('/send'), content, { class: 'slip' })
}

/** The field of a number that a person types. */
function numberField(
  { say }: Request,
  { recipient, errors }: SendForm,
  typed: (name: string, otherwise?: string) => string,
): Html {
  return field(
    {
      name: 'to',
      label: say(makePayout.fields.to.form.label),
      hint: say(['07 Orange, 05 MTN, 01 Moov.', '07 Orange, 05 MTN, 01 Moov.']),
      value: typed('to') || (recipient === null ? '' : writeWholeNumber(recipient.msisdn)),
      type: 'tel',
      more: { inputmode: 'tel', autocomplete: 'off', maxlength: '40' },
    },
    errors,
  )
}

/** The operator of the typed number. Most people leave it: it is found. */
function operatorField({ say }: Request, { operators, errors }: SendForm, value: string): Html {
  const choices = operatorCodes
    .filter((code) => operators.includes(code))
    .map((code) => ({ value: code, label: operatorNames[code] }))
  const found = { value: '', label: say(['Celui du numéro', 'The one of the number']) }
  const hint = say([
    'À choisir pour Wave, ou si le numéro a changé.',
    'To choose for Wave, or for a number that moved.',
  ])
  const label = say(['Opérateur', 'Operator'])
  return select({ name: 'operator', label, hint, value, choices: [found, ...choices] }, errors)
}

/** A person of the book is named by the entry, the recipient of a payout by what was sent. */
function hiddenRecipient({ from, msisdn, operator, name }: Recipient): Html {
  if (from === 'book') return html``
  return html`${hiddenField('to', msisdn)}${hiddenField('operator', operator ?? '')}${name !== null && hiddenField('name', name)}`
}

function recentPanel(request: Request, { recent }: SendFacts): Html {
  const { say, at, can } = request
  if (recent.length === 0) return html``
  const links = recent.map(({ id, name, operator, last4, amount }) => {
    const network = operatorOf(operator)
    const end = last4 === null ? '' : writeNumberEnd(last4)
    const last = say(['dernier {sum}', 'last {sum}'], { sum: writeAmount(amount) })
    const under = html`${network !== null && `${operatorNames[network]} · `}${end} · ${last}`
    const words = html`<b>${name ?? end}</b>`
    return waitingLink(at(`/send?again=${id}`), { icon: 'person', kind: '', words, under })
  })
  const all = can('beneficiaries.read') && html`<a href="${at('/beneficiaries')}">${say(['Tous', 'All'])}</a>`
  const title = html`<header><h2>${say(['Bénéficiaires', 'Recipients'])}</h2>${all}</header>`
  return html`<section class="panel">${title}<div class="flush todo">${links}</div></section>`
}

function balancePanel({ say, at, can }: Request, { transfer, available }: SendFacts, code: string | null): Html {
  const there = rows([{ name: say(['Disponible', 'Available']), value: html`<b>${writeAmount(transfer)}</b>` }])
  const more = html`<a href="${at('/fill')}">${say(['Recharger', 'Top up'])}</a>`
  const title = say(['Argent pour vos envois', 'Money for payouts'])
  if (code !== 'insufficient_funds') return panel(title, there, { more })
  const move =
    can('payouts.fund') &&
    available > 0 &&
    say(
      [
        '{sum} de votre argent disponible peuvent y passer tout de suite.',
        '{sum} of your available money can go there at once.',
      ],
      { sum: writeAmount(available) },
    )
  const button = linkButton(at('/fill'), say(['Recharger les envois', 'Top up payouts']))
  return panel(title, html`${there}${move && html`<p class="gap">${move}</p>`}<p class="acts">${button}</p>`)
}

function severalPanel({ say, at }: Request): Html {
  const link = linkButton(at('/batches/new'), say(['Depuis un fichier', 'From a file']), 'second')
  return panel(say(['Plusieurs personnes ?', 'Several people?']), html`<p class="acts">${link}</p>`)
}
