import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { encode } from 'uqr'
import {
  attemptFacts,
  contextOf,
  failureSituations,
  linkFacts,
  pageSituations,
  receiptOf,
  refusedSituations,
  sessionFacts,
} from '../../../tests/harness/page-situations.ts'
import { squeezeScript, squeezeStyle } from '../../platform/http/pages/squeeze.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import { languages } from '../../values/language.ts'
import type { SessionFacts } from './facts.ts'
import { pageViews } from './views.ts'

const hostile = `<img src=x onerror="alert('1')">&{amount}`

describe('a hostile name', () => {
  const names = { merchant_name: hostile, description: hostile, brand_name: hostile }
  const context = contextOf('fr', {
    brand_name: hostile,
    typed: { msisdn: hostile, amount: hostile, operator: hostile },
  })
  const next_action = { type: 'redirect', message: hostile, url: `https://wave.example.ci/?a="><img src=x>` } as const
  const pages = {
    session: pageViews.session(sessionFacts(names), context),
    'waiting session': pageViews.session(sessionFacts({ ...names, attempt: attemptFacts({ next_action }) }), context),
    receipt: pageViews.session(
      sessionFacts({
        ...names,
        status: 'paid',
        return_url: `https://example.ci/"><img src=x>`,
        receipt: receiptOf({ ...names, merchant_reference: hostile, verify_url: `https://x/"><img src=x>` }),
      }),
      context,
    ),
    link: pageViews.link(linkFacts({ ...names, price: null }), context),
    poster: pageViews.poster(linkFacts({ ...names, url: hostile }), context),
    verify: pageViews.verify(null, hostile, context),
  }
  for (const [name, { html }] of Object.entries(pages)) {
    test(`is text on the page of a ${name}`, () => {
      assert.doesNotMatch(html, /<img|onerror="/)
      assert.match(html, /&lt;img/)
    })
  }
})

test('the form names exactly the operators that are down, before the first attempt', () => {
  const down = /id="operator-down">[^<]*Moov Money, Wave/
  const facts = sessionFacts({ unavailable_operators: ['moov_ci', 'wave_ci'] })
  assert.match(pageViews.session(facts, contextOf('en')).html, down)
  assert.doesNotMatch(pageViews.session(sessionFacts(), contextOf('en')).html, /operator-down/)
})

test('the form warns in both languages of an operator through which many payments fail, and of no other', () => {
  const facts = sessionFacts({ failing_operators: ['wave_ci'] })
  const failing = (html: string) =>
    [...html.matchAll(/<p class="note care failing (\w+)">([^<]*)</g)].map((found) => found.slice(1))
  assert.deepEqual(failing(pageViews.session(facts, contextOf('en')).html), [
    ['wave_ci', 'Many payments with Wave are not going through at the moment: you can try, or pay another way.'],
  ])
  const [[, french] = []] = failing(pageViews.session(facts, contextOf('fr')).html)
  assert.match(french!, /^Beaucoup de paiements avec Wave n’aboutissent pas en ce moment/)
  assert.deepEqual(failing(pageViews.session(sessionFacts(), contextOf('en')).html), [])
})

describe('every page', () => {
  for (const situation of [...pageSituations, ...failureSituations, ...refusedSituations]) {
    test(`${situation.name}: one heading, one main, its language, nothing inline but its style`, () => {
      for (const language of languages) {
        const { html, style_hashes } = situation.render(language)
        assert.match(html, new RegExp(`^<!doctype html>\n<html lang="${language}">`))
        for (const element of ['h1', 'main', 'title', 'header>', 'footer']) {
          assert.equal(html.split(`<${element}`).length - 1, 1, element)
        }
        assert.doesNotMatch(html, /\sstyle=|\son\w+=|<script(?![^>]* src=)|undefined|\[object|\{\w+\}<|NaN|Infinity/)
        assert.doesNotMatch(
          html,
          /(?:src|href)="(?:https?:)?\/\/(?!(?:pay|wave|librairie)\.example\.ci|wa\.me\/\?text=)/,
        )
        const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text]) => text!)
        const hashes = styles.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
        assert.deepEqual(hashes, style_hashes)
      }
    })
  }
})

test('every page of a session or link shows the description of the order', () => {
  const description = 'Trois manuels de CE2'
  const session = (facts: Partial<SessionFacts>) =>
    pageViews.session(sessionFacts({ ...facts, description }), contextOf('fr'))
  const states: Partial<SessionFacts>[] = [
    {},
    { payable: false },
    { payable: false, attempt: attemptFacts({ status: 'created' }) },
    { payable: false, attempt: attemptFacts({ code_submitted: true }) },
    { payable: false, attempt: attemptFacts({ in_doubt: true }) },
    ...(['approve_on_phone', 'enter_code', 'redirect'] as const).map((type) => ({
      payable: false,
      attempt: attemptFacts({ next_action: { type, message: '' } }),
    })),
    { attempt: attemptFacts({ status: 'failed', failure_code: 'payer_declined' }) },
    { status: 'busy', payable: false },
    { status: 'expired', payable: false },
    { status: 'closed', payable: false },
    { status: 'paid', payable: false, receipt: receiptOf({ description }) },
  ]
  for (const facts of states) assert.ok(session(facts).html.includes(description), JSON.stringify(facts))
  for (const status of ['open', 'busy', 'paid', 'closed', 'expired'] as const) {
    const { html } = pageViews.link(linkFacts({ status, description, payable: status === 'open' }), contextOf('fr'))
    assert.ok(html.includes(description), status)
  }
})

test('the page of a failure says that no money was taken, and the page of a doubt never does', () => {
  for (const { name, render } of [...pageSituations, ...failureSituations]) {
    const { html } = render('fr')
    if (name.startsWith('failed')) assert.match(html, /Rien ne vous a été pris/, name)
    if (name.startsWith('unsure')) {
      assert.match(html, /Ne payez pas une deuxième fois/)
      assert.doesNotMatch(html, /Rien ne vous a été pris|Rien n’est parti|<form/)
    }
  }
})

test('after a failure the form selects the same operator, unless that operator does not know the number', () => {
  const chosenAfter = (failure_code: FailureCode) => {
    const attempt = attemptFacts({ status: 'failed', failure_code, operator: 'orange_ci' })
    const { html } = pageViews.session(sessionFacts({ attempt }), contextOf('fr'))
    return [...html.matchAll(/value="(\w+)" checked/g)].map(([, operator]) => operator)
  }
  assert.deepEqual(chosenAfter('payer_declined'), ['orange_ci'])
  assert.deepEqual(chosenAfter('payer_not_found'), [])
})

test('the QR code for a telephone holds the address of the page in its language', () => {
  const facts = sessionFacts()
  const code = encode(`${facts.url}?lang=en`, { ecc: 'L', border: 4 })
  const { html } = pageViews.session(facts, contextOf('en'))
  const [, size, path] = /<svg class="qr"[^>]* viewBox="0 0 (\d+) \d+".*?<path d="([^"]*)"/.exec(html)!
  assert.equal(Number(size), code.size)
  const dark = [...path!.matchAll(/M\d+ \d+h(\d+)v1/g)].reduce((sum, [, run]) => sum + Number(run), 0)
  assert.equal(dark, code.data.flat().filter(Boolean).length)
})

test('a test receipt never says "paid" without "test"', () => {
  const receipts = pageSituations.filter(({ name }) => /^(?:receipt-test|verify-test)/.test(name))
  assert.equal(receipts.length, 3)
  for (const { name, render } of receipts) {
    for (const language of languages) {
      const texts = render(language)
        .html.replace(/<style>.*?<\/style>/s, '')
        .split(/<[^>]*>|data-\w+="|%20%3A/)
        .concat(...render(language).html.matchAll(/data-share="[^"]*"/g))
      for (const text of texts) {
        if (/pay[ée]s?(?![a-z])|paid|rembours|refund/i.test(text))
          assert.match(text, /test/i, `${name} ${language}: ${text}`)
      }
      if (name.startsWith('receipt')) {
        const [, title] = /<title>(.*?)<\/title>/.exec(render(language).html)!
        assert.match(title!, language === 'fr' ? / – TEST, aucun argent réel$/ : / – TEST, no real money$/)
      }
    }
  }
})

test('no page shows a telephone number, except the one in the form of the same request', () => {
  for (const { name, render } of pageSituations) {
    const digits = render('fr')
      .html.replace(/value="07 00 00 00 17"/g, '')
      .replace(/07[\s\u00a0]00[\s\u00a0]00[\s\u00a0]00[\s\u00a0]00/g, '')
    assert.doesNotMatch(digits, /\b0[157](?:[\s\u00a0]?\d\d){4}\b/, name)
  }
})

test('a reader can stop and resume the refresh of a page, in both languages', () => {
  const facts = sessionFacts({ payable: false, attempt: attemptFacts() })
  for (const language of languages) {
    const moving = pageViews.session(facts, contextOf(language))
    assert.match(moving.html, /<noscript><meta http-equiv="refresh" content="2"><\/noscript>/)
    assert.match(moving.html, new RegExp(`href="/pay/\\w+\\?lang=${language}&amp;still=1"`))
    const still = pageViews.session(facts, contextOf(language, { still: true }))
    assert.doesNotMatch(still.html, /http-equiv/)
    assert.match(
      still.html,
      new RegExp(`<noscript><p class="after"> ?<a class="tap" href="/pay/\\w+\\?lang=${language}">`),
    )
  }
})

test('every page with its script is smaller than 14 KB, with both compressions', () => {
  // A chat reads the picture of the preview, and no browser does.
  const scripts = [...pageViews.assets.values()].filter(({ type }) => type.startsWith('text/'))
  assert.ok(scripts.length > 0)
  const script = scripts.reduce((sum, { body }) => sum + gzipSync(body).length, 0)
  for (const { name, render } of pageSituations) {
    const page = gzipSync(render('fr').html).length
    assert.ok(page + script < 14_000, `${name}: ${page} + ${script} bytes`)
    assert.ok(brotliCompressSync(render('fr').html).length < page)
  }
})

test('minifying a style sheet or a script keeps its meaning', () => {
  assert.equal(
    squeezeStyle('/* a */\n.a > b,\nc {\n  color: red;\n  content: "";\n}\n'),
    '.a>b,c{color:red;content:""}',
  )
  assert.equal(squeezeStyle('@media (min-width: 40rem) {\n a { b: c d }\n}'), '@media (min-width:40rem){a{b:c d}}')
  assert.equal(squeezeScript('// why\nconst a = 1\n  // so\n  go("http://x")\n'), 'const a = 1\ngo("http://x")')
})
