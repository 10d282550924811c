import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from '../../../tests/harness/property.ts'
import { html } from './html.ts'

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onfocus='alert(1)",
  '</textarea><script>',
  '&lt;b&gt;',
  '<!--',
]

for (const text of hostile) {
  test(`${JSON.stringify(text)} stays text, between tags and in an attribute`, () => {
    const written = html`<p title="${text}">${text}</p>`.text
    assert.equal(written.match(/[<>"]/g)?.join(''), '<"">' + '<>', written)
    assert.doesNotMatch(written, /'/)
  })
}

test('a text put into a form is never markup, and can be read back whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const [, written = ''] = /^<input value="(.*)">$/s.exec(html`<input value="${text}">`.text)!
      assert.doesNotMatch(written, /[<>"']/)
      assert.equal(readBack(written), text)
    }),
  )
})

function readBack(written: string): string {
  const signs: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
  return written.replace(/&[^;]+;/g, (sign) => signs[sign] ?? sign)
}

test('no text turns the direction of the text beside it, and a form brings it back unchanged', () => {
  for (const sign of ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069']) {
    const name = `Awa${sign}<`
    assert.equal(html`<b>${name}</b>, 07 01`.text, '<b>Awa\ufffd&lt;</b>, 07 01')
    assert.equal(html`<input value="${name}">`.text, `<input value="Awa${sign}&lt;">`)
  }
})

test('pieces are joined as text, and absent pieces leave nothing', () => {
  const items = ['a', '<'].map((item) => html`<li>${item}</li>`)
  assert.equal(html`<ul>${items}</ul>${null}${undefined}${false}${0}`.text, '<ul><li>a</li><li>&lt;</li></ul>0')
})
