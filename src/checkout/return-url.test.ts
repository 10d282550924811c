import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReturnUrl } from './return-url.ts'

const taken = [
  'https://boutique.ci',
  'https://boutique.ci/',
  'https://boutique.ci/merci?commande=42&langue=fr',
  'https://www.boutique.ci:8443/a/b/c#fin',
  'https://boutique.ci?commande=42',
  'https://xn--caf-dma.ci/',
  'https://café.ci/merci',
  'https://192.0.2.10/merci',
  'https://[2001:db8::1]/merci',
  'https://boutique.ci/a@b',
  `https://boutique.ci/${'a'.repeat(2_000)}`,
]

const refused: unknown[] = [
  '',
  'boutique.ci',
  '/merci',
  '//boutique.ci/merci',
  'http://boutique.ci/',
  'HTTP://boutique.ci/',
  'https:boutique.ci',
  'https:/boutique.ci',
  'https:\\\\boutique.ci',
  'https://\\boutique.ci',
  'https://boutique.ci\\@evil.example',
  'https://',
  'https:///merci',
  'https://?x',
  'https://#x',
  'https://awa@boutique.ci/',
  'https://awa:secret@boutique.ci/',
  'https://boutique.ci@evil.example/',
  'https://boutique.ci:443@evil.example/',
  'https://boutique.ci:99999/',
  'https://boutique.ci:port/',
  'https://bou tique.ci/',
  ' https://boutique.ci/',
  'https://boutique.ci/ ',
  'https://boutique.ci/a b',
  'https://boutique.ci/\r\nSet-Cookie: a=b',
  'https://boutique.ci/\n',
  'https://boutique.ci/\t',
  'https://boutique.ci/\u0000',
  'https://boutique.ci/\u200b',
  'https://boutique.ci/\u202e',
  'https://boutique.ci/"onload=',
  'https://boutique.ci/<script>',
  'https://boutique.ci/\ud800',
  'https://[::1/',
  'https://%00/',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,https://boutique.ci',
  'file:///etc/passwd',
  'ftp://boutique.ci/',
  'intent://boutique.ci/#Intent;scheme=https;end',
  'blob:https://boutique.ci/x',
  `https://boutique.ci/${'a'.repeat(2_048)}`,
  42,
  null,
  true,
  ['https://boutique.ci/'],
  { href: 'https://boutique.ci/' },
]

for (const written of taken) {
  test(`payers are sent back to ${written.slice(0, 60)}`, () => assert.equal(isReturnUrl(written), true))
}
for (const written of refused) {
  test(`payers are not sent to ${JSON.stringify(written).slice(0, 60)}`, () =>
    assert.equal(isReturnUrl(written), false))
}
