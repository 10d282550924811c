import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contextOf, linkFacts, sessionFacts } from '../../../tests/harness/page-situations.ts'
import { type PageRefusal, pageRefusalStatuses } from './facts.ts'
import { pageViews } from './views.ts'

/** Refusals that the page itself explains, without a note. */
const shownByThePage: readonly PageRefusal[] = [
  'resource_not_found',
  'method_not_allowed',
  'session_expired',
  'session_closed',
  'idempotency_in_progress',
  'lien_indisponible',
]

test('a form shows its refusal, whether or not it has the refused field', () => {
  const free = { price: null, min_amount: 500, max_amount: 50_000 }
  for (const refusal of Object.keys(pageRefusalStatuses) as PageRefusal[]) {
    if (shownByThePage.includes(refusal) || refusal === 'merchant_inactive') continue
    const context = contextOf('fr', { refusal })
    const pages = {
      session: pageViews.session(sessionFacts(), context),
      'fixed link': pageViews.link(linkFacts(), context),
      'free link': pageViews.link(linkFacts(free), context),
      'free link with a fee': pageViews.link(linkFacts({ ...free, fee_on_top: true }), context),
    }
    for (const [name, { html }] of Object.entries(pages)) {
      assert.match(html, /<form method="post"/, `${refusal}, ${name}`)
      assert.match(html, /class="error"|role="alert"/, `${refusal}, ${name}`)
    }
  }
})

test('above a limit, of one payment or of a day, the payer reads that the seller cannot take the amount today', () => {
  const fr = 'Le vendeur ne peut pas recevoir ce montant aujourd’hui.'
  const en = 'The seller cannot take this amount today.'
  for (const [language, words] of Object.entries({ fr, en }) as ['fr' | 'en', string][]) {
    const context = contextOf(language, { refusal: 'amount_above_limit' })
    const free = { price: null, min_amount: 500, max_amount: 50_000 }
    const pages = [
      pageViews.session(sessionFacts(), context),
      pageViews.link(linkFacts(free), context),
      pageViews.refused('amount_above_limit', context),
    ]
    for (const { html } of pages) assert.ok(html.includes(words), html)
  }
})
