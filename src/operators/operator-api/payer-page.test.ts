import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { payerPage } from './payer-page.ts'

const cases: [text: unknown, page: string | null][] = [
  ['https://pay.wave.com/c/cos-1?a=1&m=5+000', 'https://pay.wave.com/c/cos-1?a=1&m=5+000'],
  ['https://pay.example', 'https://pay.example/'],
  ['https://evil.example/"><script>alert(9)</script>', 'https://evil.example/%22%3E%3Cscript%3Ealert(9)%3C/script%3E'],
  ['https://pay.example/?q=\'"<b>', 'https://pay.example/?q=%27%22%3Cb%3E'],
  [
    'https://pay.example/#"><img src=x onerror=alert(1)>',
    'https://pay.example/#%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E',
  ],
  ["https://pay.example/a'b#'onclick=alert(1)", 'https://pay.example/a%27b#%27onclick=alert(1)'],
  ['https://pay.example/a b\t\nc', 'https://pay.example/a%20bc'],
  ['https://pay.example/é', 'https://pay.example/%C3%A9'],
  ['https://paÿ.example/', 'https://xn--pa-7ka.example/'],
  ['  https://pay.example/  ', 'https://pay.example/'],
  ['HTTPS://PAY.example/', 'https://pay.example/'],
  ['https:\\\\pay.example\\a', 'https://pay.example/a'],
  ['https://pay.wave.com@evil.example/', null],
  ['https://user:word@pay.example/', null],
  ['http://pay.example/', null],
  ['javascript:alert(1)', null],
  [' javascript:alert(1)', null],
  ['java\nscript:alert(1)', null],
  ['data:text/html,<script>', null],
  ['//pay.example/', null],
  ['/pay', null],
  ['', null],
  ['https://', null],
  [`https://pay.example/${'a'.repeat(2_100)}`, null],
  [`https://pay.example/${'é'.repeat(1_000)}`, null],
  [null, null],
  [7, null],
  [{ href: 'https://pay.example/' }, null],
]
for (const [text, page] of cases) {
  test(`the page at ${JSON.stringify(text)?.slice(0, 60)} is ${page}`, () => {
    assert.equal(payerPage(text, false), page)
  })
}

test('http is for the twin alone', () => {
  assert.equal(payerPage('http://127.0.0.1:4010/wave/c/1', true), 'http://127.0.0.1:4010/wave/c/1')
  assert.equal(payerPage('ftp://127.0.0.1/', true), null)
})

test('no text of an operator ends the quotation, the tag or the line that it stands in, and a clean URL stays as it is', () => {
  const tail = fc.string({ unit: fc.constantFrom(...'abé"\'<>`\\ \t\r\n#?&/%=:@[]{}|^\u0000\u202e') })
  fc.assert(
    fc.property(fc.oneof(tail, fc.webUrl(), fc.string()), (text) => {
      for (const tried of [text, `https://pay.example/${text}`, `https://pay.example?${text}`]) {
        const page = payerPage(tried, false)
        if (page === null) continue
        assert.match(page, /^https:\/\/[^"'<>\s\u0000-\u0020\u007f-\uffff]+$/)
        assert.equal(payerPage(page, false), page)
      }
    }),
    { numRuns: 2_000 },
  )
})
