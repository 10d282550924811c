import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fillGuide, fillSample, type Home, setFrench } from './fill-text.ts'
import { readSite } from './read-site.ts'
import { renderMarkdown } from './render-markdown.ts'
import { inLanguage } from './samples.ts'

const home: Home = {
  origin: 'https://pay.banque.ci',
  brand: { name: 'Banque', header_prefix: 'Banque', legacy_header_prefix: 'Old', key_prefix: 'bnq' },
  sdk: {
    package: 'banque',
    node: 'https://pay.banque.ci/sdk/node-2.0.0-0123abcd.tgz',
    php: 'https://pay.banque.ci/sdk/php-single-2.0.0-89abcdef.php',
    js: 'https://pay.banque.ci/sdk/js-2.0.0-4567cdef/index.js',
    python: 'https://pay.banque.ci/sdk/python-2.0.0-cdef4567/banque_sdk-2.0.0-py3-none-any.whl',
    module: 'banque_sdk',
  },
}
const document = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'))

test('an instance of another brand shows its own address, package, keys and headers, and nothing of the example', async () => {
  const site = await readSite(document, home)
  for (const [address, { markdown, isEnglish }] of site) {
    if (isEnglish) continue
    assert.doesNotMatch(
      markdown,
      /pay\.example\.ci|bdm_sk_|['`]bandama\/|'bandama'|from bandama|\bService-(?:Signature|Request-Id)/,
      address,
    )
    assert.doesNotMatch(markdown.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, ''), /\bBandama\b/, address)
  }
  const begin = site.get('/docs/fr/premiers-pas')!.markdown
  assert.ok(begin.includes("import { Bandama, outcomeOf } from 'banque'"))
  assert.ok(begin.includes('from banque_sdk import Bandama, outcome_of'))
  assert.ok(begin.includes('pip install https://pay.banque.ci/sdk/python-2.0.0-cdef4567/banque_sdk-2.0.0'))
  assert.ok(begin.includes('npm install https://pay.banque.ci/sdk/node-2.0.0-0123abcd.tgz'))
  assert.ok(site.get('/docs/en/supabase')!.markdown.includes('https://pay.banque.ci/sdk/js-2.0.0-4567cdef/edge.js'))
})

test('an instance that gives out no packages shows no sample that needs one', async () => {
  const site = await readSite(document, { ...home, sdk: null })
  for (const [address, { markdown, isEnglish }] of site)
    if (!isEnglish) assert.doesNotMatch(markdown, /from 'bandama|npm install/, address)
  assert.ok(site.get('/docs/fr/encaisser')!.markdown.includes('curl -sS https://pay.banque.ci/v1-payments'))
  assert.ok(site.get('/docs/fr/webhooks')!.markdown.includes('createHmac'))
})

test('a contract without the extensions has no page about them', async () => {
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/x/'))
  const site = await readSite({ ...document, paths: Object.fromEntries(paths) }, home)
  assert.ok(site.has('/docs/fr/reference/createPayment'))
  assert.ok(!site.has('/docs/fr/reference/listEvents'))
})

test('a code that is given before the service looks for an earlier use of the key does not say that no money moved', async () => {
  const site = await readSite(document, home)
  for (const code of ['authentication_required', 'invalid_api_key', 'insufficient_scope', 'rate_limit_exceeded']) {
    const [fr, en] = [`/docs/fr/erreurs/${code}`, `/docs/en/errors/${code}`].map((at) => site.get(at)!.markdown)
    assert.match(fr!, /celui-là a pu en faire bouger\s: répétez-le avec la même clé/)
    assert.match(en!, /that one may have: repeat it with the same idempotency key/)
  }
})

test('the pages of a contract that forgot a code are not written', async () => {
  const paths = structuredClone(document.paths)
  delete paths['/x/events']
  await assert.rejects(readSite({ ...document, paths }, home), /No route gives the code cursor_expired/)
})

test('a sample keeps the comments of its reader’s language', () => {
  const sample = 'a() // fr: un\n// en: two\n# fr: trois\nb()\n'
  assert.equal(inLanguage(sample, 'fr'), 'a() // un\n# trois\nb()\n')
  assert.equal(inLanguage(sample, 'en'), 'a()\n// two\nb()\n')
})

test('code stays as it is when a guide is filled and set in French', () => {
  const text = "L'instance Bandama : `d'un Bandama ;`\n\n```js\nl'Bandama ;\n```\n"
  assert.equal(
    setFrench(fillGuide(text, home)),
    "L’instance Banque\u00a0: `d'un Bandama ;`\n\n```js\nl'Bandama ;\n```\n",
  )
  assert.equal(fillSample('service-signature Legacy-Event-Id', home), 'banque-signature Old-Event-Id')
})

test('HTML in a page is text, and a link to a file that is not served is its words alone', () => {
  const page =
    '# A\n\n<script>x</script>\n\n<b onclick="y">b</b> [gone](../src/x.ts) [kept](b.md) ![p](p.png)\n\n<!-- hidden -->\n'
  const { html, title } = renderMarkdown(page, (href) => (href === 'b.md' ? '/docs/en/b' : null), 'tabs')
  assert.equal(title, 'A')
  assert.doesNotMatch(html.text, /<script|<b |<img|hidden|src\/x/)
  assert.ok(html.text.includes('gone <a href="/docs/en/b">kept</a>'))
})
