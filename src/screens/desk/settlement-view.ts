import { canDecideOn } from '../../acts/second-person.ts'
import { withBanks } from '../../console/acts/account-choices.ts'
import { actFields } from '../../console/acts/act-fields.ts'
import { backLink, differs, note, panel, type StoryEvent, status, story } from '../../console/components.ts'
import { choices, decideBar, errorList, type FieldError, field, form, hiddenField } from '../../console/forms.ts'
import type { Say } from '../../console/say.ts'
import { quoted } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { bankField } from '../../external-accounts/bank-field.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeDate, writeShortDate, writeShortDay } from '../../platform/http/pages/write-values.ts'
import { type SettlementRow, viewSettlement } from '../../settlements/settlement.ts'
import { isOperatorCode, operatorNames } from '../../values/operators.ts'
import { ageInWords, personName } from './case-words.ts'
import { ownerPanel } from './queue-view.ts'
import type { SettlementFile } from './settlement-facts.ts'
import { samePerson } from './settlement-standing.ts'

type Request = ScreenRequest<'desk'>

/** The days after which a destination is no longer new. */
const NEW_DAYS = 7

/** The page of one settlement: its destination, its people, and the next act. */
export function settlementView(
  request: Request,
  file: SettlementFile,
  now: Date,
  errors: readonly FieldError[] = [],
): ScreenView {
  const { say, at, can } = request
  const { settlement, merchant } = file
  const validating = settlement.status === 'pending_validation' && can('settlements.validate') && isAnothers(file)
  const follow = isOpen(settlement) && ownerPanel(request, { id: settlement.id, owner: file.owner, names: file.names })
  const forms = html`${paying(request, file, errors)}${rejecting(request, file, errors)}`
  const main = html`${backLink(at('/settlements'), say(['Reversements', 'Settlements']))}${errorList(say, errors)}
<div class="two"><div class="stack">${slip(request, file, now, validating)}${forms}</div>
<div class="stack">${panel(say(['Deux personnes', 'Two people']), people(request, file))}${follow}</div></div>`
  const { validated_by, paid_by, rejected_by, made_by, designated_at } = settlement
  const facts = {
    settlement: { ...viewSettlement(settlement), merchant_id: settlement.merchant_id, designated_at },
    people: { made_by, validated_by, paid_by, rejected_by },
    bank_days: { booking_date: settlement.booking_date, value_date: settlement.value_date },
    account_taken: { account_taken_at: settlement.account_taken_at, account_taken_by: settlement.account_taken_by },
    ...{ merchant, destination_today: file.destination_today, paid_before: file.paid_before, owner: file.owner },
    may: {
      validate: validating,
      pay: settlement.status === 'validated' && can('settlements.pay') && isSecond(file),
    },
    errors,
  }
  const title = say(['Reversement', 'Settlement'])
  return { kind: 'view', status: errors.length > 0 ? 409 : 200, title, main, facts, deciding: validating }
}

/** Whether a settlement still waits for people: it can be rejected and assigned. */
export function isOpen({ status }: Pick<SettlementRow, 'status'>): boolean {
  return status === 'pending_validation' || status === 'validated'
}

/** Whether somebody else requested it, whom the reader did not let in: they may validate or reject it. */
function isAnothers({ settlement: { made_by }, creator, reader }: SettlementFile): boolean {
  return canDecideOn(reader, [made_by, creator])
}

/** Whether the reader may enter the transfer: somebody else requested and validated it, whom they did not let in. */
function isSecond(file: SettlementFile): boolean {
  const { validated_by } = file.settlement
  return validated_by !== null && isAnothers(file) && canDecideOn(file.reader, [validated_by])
}

function slip(request: Request, file: SettlementFile, now: Date, validating: boolean): Html {
  const { say, at } = request
  const { settlement, merchant } = file
  const [shape, words] = statusWords.settlement[settlement.status]
  const age = say(['depuis {age}', 'for {age}'], {
    age: ageInWords(now.getTime() - settlement.created_at.getTime(), say),
  })
  const decide =
    validating &&
    decideBar(
      request,
      { to: '#reject', words: say(['Rejeter', 'Reject']), asks: true },
      { to: at(`/settlements/${settlement.id}/validate`), words: say(['Valider', 'Validate']) },
    )
  const state = html`${status(shape, say(words))}${isOpen(settlement) && html` <span class="soft">· ${age}</span>`}`
  const sum = html`<span class="sr">${say(['Reversement de ', 'Settlement of '])}</span>${drawAmount(settlement.amount)}`
  const whom = html`${say(['Pour', 'For'])} <b>${merchant}</b>, ${say(['vers', 'to'])} ${destinationName(settlement)}`
  return html`<article class="slip"><header><p>${state}</p><h1>${sum}</h1><p class="say">${whom}.</p></header>
${destination(request, file)}${decide}</article>`
}

/** Writes a destination with only the end of its account: `NSIA Banque •• 7731`. */
export function destinationName({
  account_type,
  operator,
  last4,
}: Pick<SettlementRow, 'account_type' | 'operator' | 'last4'>): string {
  const named = operator !== null && isOperatorCode(operator) ? operatorNames[operator] : null
  return `${named ?? (account_type === 'bank_account' ? 'IBAN' : 'wallet')} •• ${last4}`
}

function destination({ say, language }: Request, file: SettlementFile): Html {
  const { settlement, destination_today, paid_before } = file
  const today = {
    designated: status('ok', say(['La même', 'The same'])),
    no_longer_designated: status('doubt', say(['Une autre est désignée', 'Another one is designated'])),
    archived: status('bad', say(['Retirée du carnet', 'Removed from the address book'])),
  }[destination_today]
  const days = (settlement.created_at.getTime() - settlement.designated_at.getTime()) / 86_400_000
  const { to_this, to_others, last_other } = paid_before
  const facts = [
    destination_today !== 'designated' && {
      same: false,
      text: say([
        'La destination n’est plus celle du marchand. Demandez-lui avant de valider ou de virer.',
        'The destination is no longer the merchant’s. Ask before you validate or transfer.',
      ]),
    },
    to_this === 0
      ? { same: false, text: firstTime(say, to_others, last_other) }
      : {
          same: true,
          text: say(['Déjà payé {n} fois vers ce compte.', 'Paid to this account {n} times before.'], { n: to_this }),
        },
    days < NEW_DAYS
      ? {
          same: false,
          text: say(
            ['Désignée depuis {age} au moment de la demande.', 'Designated for {age} at the time of the request.'],
            {
              age: ageInWords(days * 86_400_000, say),
            },
          ),
        }
      : {
          same: true,
          text: say(['Désignée depuis le {at}.', 'Designated since {at}.'], {
            at: writeShortDate(settlement.designated_at, language),
          }),
        },
    {
      same: true,
      text: say([
        'La somme a quitté le solde disponible à la demande.',
        'The amount left the available balance at the request.',
      ]),
    },
  ].flatMap((fact) => (fact ? [fact] : []))
  const box = (when: string, content: Html) => html`<div class="note plain"><p class="soft">${when}</p>${content}</div>`
  const then = html`<p><b>${destinationName(settlement)}</b></p><p>${settlement.name}</p>`
  const atRequest = box(say(['À la demande', 'At the request']), then)
  const now = box(say(['Maintenant', 'Now']), html`<p>${today}</p>`)
  const title = say(['La destination', 'The destination'])
  return html`<section aria-labelledby="dest"><h2 id="dest">${title}</h2><div class="half gap">${atRequest}${now}</div>
<div class="gap">${differs(facts)}</div></section>`
}

function firstTime(say: Say, to_others: number, last_other: string | null): Html {
  const first = html`<b>${say(['Premier reversement vers ce compte.', 'First settlement to this account.'])}</b>`
  if (to_others === 0 || last_other === null)
    return html`${first} ${say(['Aucun autre avant.', 'None to another before.'])}`
  const counted = { name: last_other, n: to_others }
  return html`${first} ${say(['Avant : {name}, {n} fois en tout.', 'Before: {name}, {n} times in all.'], counted)}`
}

/** Writes the dates of the transfer in the bank's file. Empty when the file had none, or a person typed the reference. */
function bankDays({ say, language }: Request, { booking_date, value_date }: SettlementRow): string {
  const day = (text: string) => writeShortDay(new Date(text), language)
  const booked =
    booking_date === null ? '' : say([', opération du {day}', ', booked on {day}'], { day: day(booking_date) })
  return (
    booked + (value_date === null ? '' : say([', valeur du {day}', ', value date {day}'], { day: day(value_date) }))
  )
}

function people(request: Request, file: SettlementFile): Html {
  const { settlement, merchant, names } = file
  const { say, language } = request
  const by = (person: string | null) => personName(person, names, say)
  const { made_by, created_at, validated_by, validated_at, paid_by, paid_at, rejected_by, rejected_at } = settlement
  const happened: StoryEvent[] = [
    {
      at: created_at,
      icon: 'person',
      text: say(['Demandé par {name}, {merchant}', 'Requested by {name}, {merchant}'], {
        name: by(made_by),
        merchant: merchant ?? '',
      }),
    },
  ]
  if (validated_at !== null)
    happened.push({
      at: validated_at,
      icon: 'stamp',
      kind: 'ok',
      text: say(['Validé par {name}', 'Validated by {name}'], { name: by(validated_by) }),
    })
  const { account_taken_at, account_taken_by } = settlement
  if (account_taken_at !== null)
    happened.push({
      at: account_taken_at,
      icon: 'bank',
      text: say(['Compte pris pour le virement par {name}', 'Account taken for the transfer by {name}'], {
        name: by(account_taken_by),
      }),
    })
  if (paid_at !== null)
    happened.push({
      at: paid_at,
      icon: 'bank',
      kind: 'ok',
      text: html`${say(['Payé par {name}, virement {reference}', 'Paid by {name}, transfer {reference}'], {
        name: by(paid_by),
        reference: settlement.bank_reference ?? '',
      })}${bankDays(request, settlement)}`,
    })
  if (rejected_at !== null) {
    const { rejection_reason } = settlement
    const why = rejection_reason !== null && `: ${say(quoted, { text: rejection_reason })}`
    const text = html`${say(['Rejeté par {name}', 'Rejected by {name}'], { name: by(rejected_by) })}${why}`
    happened.push({ at: rejected_at, icon: 'x', kind: 'bad', text })
  }
  const next =
    settlement.status === 'pending_validation'
      ? isAnothers(file)
        ? say([
            'Une personne de la finance valide ; une autre paie, avec la référence de la banque.',
            'One person of finance validates; another pays, with the bank’s reference.',
          ])
        : say([
            'Vous l’avez demandé, ou vous avez fait entrer qui l’a demandé : une autre personne valide.',
            'You requested it, or let in the person who did: another person validates.',
          ])
      : settlement.status === 'validated'
        ? isSecond(file)
          ? say(['Une autre personne a validé : vous pouvez payer.', 'Another person validated: you may pay.'])
          : say([
              'Vous avez demandé ou validé, ou vous avez fait entrer qui l’a fait : une autre personne paie.',
              'You requested or validated it, or let in the person who did: another person pays.',
            ])
        : null
  return html`${story(happened, language)}${next !== null && html`<p class="hint gap">${next}</p>`}`
}

/** The file with this transfer alone, because its destination keeps it out of the file with the others. */
function ownFile(request: Request, { settlement, destination_today }: SettlementFile): Html | false {
  if (destination_today === 'designated' || settlement.account_taken_at !== null) return false
  const { say, at } = request
  const text = say([
    'Ce virement n’est pas dans le fichier des autres, car sa destination a changé. Prenez-le seul si le marchand veut encore ce compte ; sinon, rejetez.',
    'This transfer is not in the file with the others, because its destination has changed. Take it alone if the merchant still wants this account; otherwise reject it.',
  ])
  const words = say(['Fichier de ce seul virement', 'File of this transfer alone'])
  const content = html`${hiddenField('settlement', settlement.id)}<button class="second">${words}</button>`
  return html`<div class="note care"><p>${text}</p>${form(request, at('/settlements/bank-file'), content, { class: 'acts' })}</div>`
}

function paying(request: Request, file: SettlementFile, errors: readonly FieldError[]): Html {
  const { settlement } = file
  const { say, at, fields, can } = request
  if (settlement.status !== 'validated') return html``
  const title = say(['Payer', 'Pay'])
  if (!can('settlements.pay')) return panel(title, html`<p>${say(['La finance paie.', 'Finance pays.'])}</p>`)
  const alone = ownFile(request, file)
  if (!isSecond(file)) return panel(title, html`${alone}<p>${say(samePerson)}</p>`)
  const reference = field(
    {
      name: 'reference',
      label: say(['Référence du virement', 'Reference of the transfer']),
      hint: say([
        'Telle que la banque l’écrit. Une référence paie un seul reversement.',
        'As the bank writes it. One reference pays one settlement.',
      ]),
      value: fields.text('reference'),
      more: { maxlength: '140', autocomplete: 'off' },
    },
    errors,
  )
  const account = actFields(request, withBanks({ account: bankField }, file.accounts), errors)
  const button = html`<button class="wide">${say(['Marquer payé', 'Mark as paid'])}</button>`
  const pay = form(request, at(`/settlements/${settlement.id}/pay`), html`${reference}${account}${button}`)
  return panel(title, html`${alone}${pay}`, { id: 'pay' })
}

/** Warns that the transfer may be ordered, and asks for the statement that it is not. Empty when nobody has taken the account. */
function transferWarning(request: Request, { settlement, names }: SettlementFile, errors: readonly FieldError[]): Html {
  const { say, language, fields } = request
  const { account_taken_at, account_taken_by } = settlement
  if (account_taken_at === null) return html``
  const warning = say(
    [
      '{name} a pris le compte entier pour le virement : {at}. Si le virement part et que vous rejetez, l’argent est versé et rendu.',
      '{name} took the whole account for the transfer: {at}. If the transfer is made and you reject, the money is paid and returned.',
    ],
    { name: personName(account_taken_by, names, say), at: writeDate(account_taken_at, language) },
  )
  const stated = {
    value: account_taken_at.toISOString(),
    label: say(['Aucun virement', 'No transfer']),
    hint: say([
      'La banque confirme qu’elle n’en a fait aucun depuis et n’en fera pas.',
      'The bank confirms that it has made none since and will not make one.',
    ]),
  }
  const box = {
    name: 'no_transfer',
    legend: say(['Avant de rejeter', 'Before you reject']),
    kind: 'checkbox',
    chosen: fields.all('no_transfer'),
    choices: [stated],
  } as const
  return html`${note('care', say(['Le virement est peut-être ordonné', 'The transfer may be ordered']), warning)}${choices(box, errors)}`
}

function rejecting(request: Request, file: SettlementFile, errors: readonly FieldError[]): Html {
  const { say, at, fields, can } = request
  const { settlement } = file
  if (!isOpen(settlement) || !can('settlements.validate') || !isAnothers(file)) return html``
  const reason = field(
    {
      name: 'reason',
      label: say(['Pourquoi', 'Why']),
      hint: say([
        'Le marchand lit cette phrase. L’argent lui revient aussitôt.',
        'The merchant reads this sentence. The money is back at once.',
      ]),
      value: fields.text('reason'),
      more: { maxlength: '500' },
    },
    errors,
  )
  return panel(
    say(['Rejeter', 'Reject']),
    form(
      request,
      at(`/settlements/${settlement.id}/reject`),
      html`${transferWarning(request, file, errors)}${reason}<button class="stop">${say(['Rejeter', 'Reject'])}</button>`,
    ),
    { id: 'reject' },
  )
}
