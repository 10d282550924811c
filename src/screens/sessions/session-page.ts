import { type AmountSource, amountSource } from '../../checkout/link-address.ts'
import { id, operatorName, rows, status, story } from '../../console/components.ts'
import { sayCount, type Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { html, type Piece } from '../../platform/http/html.ts'
import { writeAmount, writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { operationPage } from '../operations/operation-page.ts'
import { sayFailure } from '../operations/payment-page.ts'
import type { Attempt, SessionPage } from './read-session-page.ts'

type Request = ScreenRequest<'console'>

const moveWords: Readonly<Record<string, Words>> = {
  paid: ['La page est payée', 'The page is paid'],
  expired: ['Le temps de la page est passé', 'The page expired'],
  closed: ['Vous avez fermé la page', 'You closed the page'],
}

/** The seller reads here whether the amount is theirs or was in the address that anybody can write. */
const sourceWords: Readonly<Record<AmountSource, Words>> = {
  merchant: ['Votre montant', 'Your amount'],
  address: ['Montant écrit dans l’adresse', 'Amount written in the address'],
  payer: ['Choisi par le client', 'Chosen by the payer'],
}

/** The page of one payment page: its state in a sentence, the link to its refund, each attempt, and the facts. */
export function sessionView(request: Request, page: SessionPage, refund: Piece): ScreenView {
  const { say, at, language } = request
  const { session, attempts, moves, link } = page
  const [shape, words] = statusWords.link[session.status]
  const when = (moment: Date) => writeShortDate(moment, language)
  const events = [
    {
      at: session.created_at,
      icon: link === null ? ('log' as const) : ('link' as const),
      text:
        link === null
          ? say(['Votre site demande la page', 'Your site requests the page'])
          : say(['Un client ouvre votre lien', 'A payer opens your link']),
    },
    ...attempts.map((attempt) => ({
      at: attempt.created_at,
      icon: 'phone' as const,
      text: attemptText(request, attempt),
      ...(attempt.failure_code !== null && { under: html`<p>${sayFailure(say, attempt.failure_code)}</p>` }),
    })),
    ...moves.map(({ to_status, transitioned_at }) => ({
      at: transitioned_at,
      icon: to_status === 'paid' ? ('ok' as const) : ('clock' as const),
      ...(to_status === 'paid' && { kind: 'ok' as const }),
      text: say(moveWords[to_status] ?? ['', '']),
    })),
  ]
  const missing = session.attempts - attempts.length
  const facts = rows([
    { name: say(['Montant', 'Amount']), value: writeAmount(session.amount) },
    session.min_amount !== null && {
      name: say(sourceWords[amountSource(session)]),
      value: say(['de {least} à {most}', '{least} to {most}'], {
        least: writeAmount(session.min_amount),
        most: writeAmount(session.max_amount ?? session.min_amount),
      }),
    },
    { name: say(['Essais', 'Attempts']), value: session.attempts },
    session.payment_id !== null && {
      name:
        session.status === 'paid' ? say(['Payée par', 'Paid by']) : say(['Dernier paiement essayé', 'Latest payment']),
      value: html`<a href="${at(`/payments/${session.payment_id}`)}">${id(session.payment_id)}</a>`,
    },
    link !== null && {
      name: say(['Lien', 'Link']),
      value: html`<a href="${at(`/links/${link.id}`)}">${link.description ?? id(link.id)}</a>`,
    },
    session.reference !== null && { name: say(['Votre référence', 'Your reference']), value: id(session.reference) },
    session.description !== null && { name: say(['Pour quoi', 'What for']), value: session.description },
    { name: say(['Ouverte', 'Opened']), value: when(session.created_at) },
    { name: say(['Se ferme', 'Ends']), value: when(session.expires_at) },
    session.paid_at !== null && { name: say(['Payée', 'Paid']), value: when(session.paid_at) },
    { name: say(['Numéro de la page', 'Identifier']), value: id(session.id) },
  ])
  const sorted = story(
    events.toSorted((one, other) => one.at.getTime() - other.at.getTime()),
    language,
  )
  const earlier = sayCount(
    say,
    missing,
    ['{n} essai plus ancien se trouve dans la liste des paiements.', '{n} earlier attempt is in the list of payments.'],
    [
      '{n} essais plus anciens se trouvent dans la liste des paiements.',
      '{n} earlier attempts are in the list of payments.',
    ],
  )
  const note = missing > 0 && html`<p class="hint">${earlier}</p>`
  return operationPage(request, {
    list: { path: '/sessions', words: ['Pages de paiement', 'Payment pages'] },
    title: say(['Page de paiement de ', 'Payment page of ']),
    amount: session.amount,
    status: [shape, words],
    sentence: sentenceOf(request, page),
    advice: refund,
    story: html`${sorted}${note}`,
    rows: facts,
    facts: page,
  })
}

/** An attempt: its number, operator and state, with a link to its payment. */
function attemptText({ say, at }: Request, { id: payment_id, last4, operator, status: of }: Attempt) {
  const [shape, words] = statusWords.payment[of]
  const number = last4 === null ? say(['Essai', 'Attempt']) : writeNumberEnd(last4)
  const link = html`<a href="${at(`/payments/${payment_id}`)}">${number}</a>`
  const by = operator !== null && isOperatorCode(operator) && operatorName(operator)
  return html`${link} ${by} ${status(shape, say(words))}`
}

function sentenceOf({ say, language }: Request, { session }: SessionPage): string {
  const when = { when: writeShortDate(session.paid_at ?? session.expires_at, language) }
  if (session.attempt_live) return say(['Le client est en train de payer.', 'The payer is paying just now.'])
  switch (session.status) {
    case 'open':
      return session.attempts === 0
        ? say(['Le client n’a pas encore essayé de payer.', 'The payer has not tried to pay yet.'])
        : say(['Le client peut encore essayer jusqu’au {when}.', 'The payer may still try until {when}.'], when)
    case 'paid':
      return say(['Le client a payé le {when}.', 'The payer paid on {when}.'], when)
    case 'expired':
      return say([
        'Le client n’a pas payé à temps. Rien n’est payé.',
        'The payer did not pay in time. Nothing is paid.',
      ])
    case 'closed':
      return say(['Vous l’avez fermée. Rien n’est payé.', 'You closed it. Nothing is paid.'])
  }
}
