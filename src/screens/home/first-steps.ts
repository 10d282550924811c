import { linkButton } from '../../console/components.ts'
import { icon } from '../../console/icons.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import type { HomeFacts } from './read-home.ts'

type Request = ScreenRequest<'console'>

/** Whether a shop is empty: nobody has paid or tried to, and there is no money. Its first page has three steps and nothing else. */
export function isEmpty({ payments, balances }: HomeFacts): boolean {
  const held = balances === null ? [] : [balances.available, balances.transfer, balances.payouts_in_flight]
  return payments !== null && payments.length === 0 && held.every((francs) => francs === 0)
}

/** The steps to the first money. In live mode without an operator nobody can pay, so the second one leads to test mode. */
export function firstSteps(request: Request, facts: HomeFacts): Html {
  const { say, merchant_name } = request
  const opened = say(['Votre compte est ouvert', 'Your account is open'])
  const steps = [
    html`<li class="ok"><h2>${opened}</h2><p class="soft">${merchant_name}</p></li>`,
    payStep(request, facts),
    destinationStep(request, facts),
  ]
  const label = say(['Premiers pas', 'First steps'])
  return html`<section class="panel" aria-label="${label}"><div><ol class="steps">${steps}</ol></div></section>`
}

function payStep({ say, at, can, livemode }: Request, { weather }: HomeFacts): Html {
  const title = say(['Faites payer une première fois', 'Get paid a first time'])
  const inTest = at('').replace('/live/', '/test/')
  if (livemode && weather.length === 0) {
    const why = say([
      'Personne ne peut encore vous payer : l’équipe du service doit d’abord relier un opérateur.',
      'Nobody can pay you yet: the team of the service has to connect an operator first.',
    ])
    const test = linkButton(inTest, say(['Essayer en mode test', 'Try in test mode']))
    return html`<li><h2>${title}</h2><p>${why}</p><p class="acts">${test}</p></li>`
  }
  const how = livemode
    ? say([
        'Essayez avec 100 F et votre propre téléphone : le paiement s’affiche ici tout seul.',
        'Try with 100 F and your own phone: the payment shows here by itself.',
      ])
    : say([
        'Avec votre propre numéro, sans argent réel : le paiement s’affiche ici tout seul.',
        'With your own number, without real money: the payment shows here by itself.',
      ])
  const words = say(['Faire payer', 'Get paid'])
  const pay = can('links.manage') && html`<a class="button" href="${at('/pay')}">${icon('qr')}${words}</a>`
  const free = say(['Essayer sans argent, en mode test', 'Try without money, in test mode'])
  const test = livemode && linkButton(inTest, free, 'quiet')
  return html`<li><h2>${title}</h2><p>${how}</p><p class="acts">${pay}${test}</p></li>`
}

function destinationStep({ say, at, can }: Request, { destination }: HomeFacts): Html {
  const title = say(['Dites où va votre argent', 'Say where your money goes'])
  if (destination !== null) return html`<li class="ok"><h2>${title}</h2><p class="soft">${destination.name}</p></li>`
  const how = say([
    'Votre numéro ou votre compte bancaire. Une nouvelle destination attend un jour : faites-le aujourd’hui.',
    'Your number or your bank account. A new destination waits for a day: do it today.',
  ])
  const words = say(['Choisir', 'Choose'])
  const choose =
    can('destination.propose') &&
    html`<a class="button second" href="${at('/destination')}">${icon('bank')}${words}</a>`
  return html`<li><h2>${title}</h2><p>${how}</p><p class="acts">${choose}</p></li>`
}
