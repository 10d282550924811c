import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Tx } from '../../src/platform/postgres/database.ts'
import type { Asked } from '../contract/ask.ts'
import { newLink, newSession } from '../contract/payer.ts'
import { hold } from '../harness/hold.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { openMember } from '../harness/teams.ts'

// The service answers within ten seconds, also while its work goes on. The test holds every page's first table for that long.

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']], waits: true })
})
after(() => installation[Symbol.asyncDispose]())

const browser = { Accept: 'text/html,*/*;q=0.8', 'Accept-Language': 'fr' }
const form = { ...browser, 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' }

test('a person whose answer is late reads in words that an act may have been done, and a program reads JSON', async () => {
  const { merchant_id, key } = await installation.newMerchant()
  const { cookie } = await openMember(installation, 'Awa Bamba', { merchant_id, roles: ['owner'], staff: ['finance'] })
  const session = await newSession(installation, key)
  const link = await newLink(installation, merchant_id, '--amount', '5000')
  const base = `/console/test/${merchant_id}`
  const signed = { ...form, Cookie: cookie }
  const pages: [promise: string, asked: Asked, says: RegExp[]][] = [
    [
      'an act in the console',
      { path: `${base}/settings/language`, text: 'language=en', headers: signed },
      [/<html lang="fr">/, /a peut-être été fait/, new RegExp(`href="${base}"`)],
    ],
    [
      'an act at the desk, in English',
      { path: '/desk/live/switch/stop?lang=en', text: 'what=all', headers: signed },
      [/<html lang="en">/, /may have been done, or may still be under way/, /href="\/desk\/live"/],
    ],
    ['a page of the console', { path: `${base}/payments`, headers: signed }, [/Rien n’a été changé/]],
    ['a page of the desk', { path: '/desk/test', headers: signed }, [/Rien n’a été changé/]],
    ['a payer’s form', { path: session.path, text: 'msisdn=0700000001', headers: form }, [/est peut-être partie/]],
    [
      'a payer’s form of a link',
      { path: link.path, text: 'msisdn=0700000001', headers: form },
      [/est peut-être partie/],
    ],
    ['a payer’s page in English', { path: `${session.path}?lang=en`, headers: browser }, [/may have left/]],
  ]
  const programs: [promise: string, asked: Asked, body: object][] = [
    [
      'an act in the console',
      {
        path: `${base}/settings/language`,
        text: '{}',
        headers: { Cookie: cookie, 'Content-Type': 'application/json' },
      },
      {
        code: 'internal_error',
        message: 'It may have been done, or still be under way. Read its state before you repeat it.',
      },
    ],
    [
      'a page of the console',
      { path: base, headers: { Cookie: cookie, Accept: 'application/json' } },
      { code: 'internal_error' },
    ],
  ]
  const show = async ([promise, asked, says]: (typeof pages)[number]) => {
    const answer = await installation.ask(asked)
    assert.equal(answer.status, 500, `${promise}: ${answer.text.slice(0, 200)}`)
    assert.match(String(answer.headers['content-type']), /^text\/html/, promise)
    for (const said of says) assert.match(answer.text, said, promise)
    assert.ok(answer.text.includes(String(answer.headers['service-request-id'])), `${promise}: the number to quote`)
    assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/, promise)
  }
  const read = async ([promise, asked, error]: (typeof programs)[number]) => {
    const answer = await installation.ask(asked)
    assert.equal(answer.status, 500, promise)
    assert.deepEqual((answer.json() as { error: object }).error, error, promise)
  }
  // Of the calls about one session two are under way at once, and four of all without a key, until their work ends, not their answer.
  const lock = (tx: Tx) =>
    tx`lock table person_sessions, checkout_sessions, checkout_tokens, instructions in access exclusive mode`
  const groups = [
    pages.filter(([, { text }]) => text !== undefined).map((one) => () => show(one)),
    pages.filter(([, { text }]) => text === undefined).map((one) => () => show(one)),
    programs.map((one) => () => read(one)),
  ]
  for (const group of groups) {
    await using _held = await hold(installation.db.sql, lock)
    await Promise.all(group.map((ask) => ask()))
  }
})
