import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Html, html } from '../platform/http/html.ts'
import { baseStyle } from '../platform/http/pages/base-style.ts'
import { squeezeStyle } from '../platform/http/pages/squeeze.ts'
import { type Language, languages, type Words } from '../values/language.ts'
import type { ListedPackage, Packages } from './make-packages.ts'

const style = squeezeStyle(baseStyle + readFileSync(new URL('sdk.css', import.meta.url), 'utf8'))
const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

const words = {
  title: ['Bibliothèques pour vos programmes', 'Libraries for your programs'],
  lead: [
    'Encaisser et payer par mobile money depuis votre programme. Chaque paquet vient d’ici et connaît déjà cette adresse : pas de compte à créer ailleurs, aucune dépendance.',
    'Collect and pay out by mobile money from your program. Each package comes from here and already knows this address: no account elsewhere, no dependency.',
  ],
  node: ['TypeScript et JavaScript, par npm', 'TypeScript and JavaScript, by npm'],
  js: ['Deno et Supabase, par adresse', 'Deno and Supabase, by address'],
  php: ['PHP, par Composer', 'PHP, by Composer'],
  'php-single': ['PHP, en un seul fichier', 'PHP, as one file'],
  python: ['Python, par pip', 'Python, by pip'],
  bdm: ['bdm, la ligne de commande, pour Node 20 et plus', 'bdm, the command line, for Node 20 and later'],
  woocommerce: ['WooCommerce, une extension', 'WooCommerce, a plugin'],
  take: ['Télécharger l’extension', 'Download the plugin'],
  start: ['Du paquet au paiement', 'From the package to a payment'],
  start_text: [
    'La clé et le secret viennent de la console. Avec une clé de test, ce numéro paie toujours et aucun argent ne bouge.',
    'The key and the secret come from the console. With a test key this number always pays, and no money moves.',
  ],
  for_ever: [
    'Une adresse donne toujours les mêmes octets, aussi après une mise à jour : gardez-la dans votre fichier de verrouillage.',
    'An address always gives the same bytes, also after an upgrade: keep it in your lock file.',
  ],
  version: ['Version', 'Version'],
  integrity: ['Empreinte', 'Integrity'],
  reference: ['Toutes les routes', 'All routes'],
  programs: [
    'Un programme reçoit cette liste en JSON à la même adresse.',
    'A program gets this list as JSON at the same address.',
  ],
  skip: ['Aller au contenu', 'Skip to the content'],
  other: ['English', 'Français'],
} as const satisfies Record<string, Words>

type Say = (name: keyof typeof words) => string

/** The page of the packages, with the hash by which its policy allows its style. */
export function sdkView({ listed, brand_name }: Packages & { brand_name: string }, language: Language) {
  const say: Say = (name) => words[name][languages.indexOf(language)]!
  const other = language === 'fr' ? 'en' : 'fr'
  const title = `${say('title')} – ${brand_name}`
  const tool = html`<a class="tool" href="/sdk?lang=${other}" hreflang="${other}" lang="${other}">${say('other')}</a>`
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(style)}</style>
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#main">${say('skip')}</a>
<header class="bar"><span class="brand">${brand_name}</span>${tool}</header>
<main id="main" tabindex="-1">
<h1>${say('title')}</h1>
<p class="lead">${say('lead')}</p>
${listed.map((one) => packageSlip(one, say, language))}
${startSlip(listed[0]!.package, say)}
<p class="soft">${say('for_ever')} ${say('programs')} <a href="/docs/${language}/reference">${say('reference')}</a></p>
</main>
</body>
</html>
`
  return { html: page.text, style_hashes: [styleHash] }
}

function packageSlip(
  { name, url, version, integrity, bytes, install }: ListedPackage,
  say: Say,
  language: Language,
): Html {
  // The modules are read one by one, so the size of the first says nothing.
  const size = name !== 'js' && ` · ${(bytes / 1_000).toLocaleString(language, { maximumFractionDigits: 0 })}\u00a0kB`
  return html`<section class="slip" aria-labelledby="${name}">
<h2 id="${name}">${say(name)}</h2>
<pre><code>${install}</code></pre>
${name === 'woocommerce' && html`<p><a href="${new URL(url).pathname}" download>${say('take')}</a></p>`}
<p class="soft">${say('version')} ${version}${size}</p>
<details><summary>${say('integrity')}</summary><p class="soft">${integrity}</p></details>
</section>
`
}

function startSlip(name: string, say: Say): Html {
  return html`<section class="slip">
<h2 id="start">${say('start')}</h2>
<p>${say('start_text')}</p>
<pre class="sample" role="region" aria-labelledby="start" tabindex="0"><code>${sampleOf(name)}</code></pre>
</section>`
}

/** A payment and a verified webhook. */
function sampleOf(name: string): string {
  return `import { Bandama, outcomeOf } from '${name}'
import { handler } from '${name}/express'

const client = new Bandama({ key: process.env.BANDAMA_KEY })
const payment = await client.payments.create({
  amount: 10000,
  counterparty: { msisdn: '0700000000' },
  merchant_reference: 'CMD-417',
})
console.log(outcomeOf(await client.payments.wait(payment.id)))

app.post('/webhooks', handler(process.env.WEBHOOK_SECRET, async (event) => {
  if (event.type === 'payment.succeeded') await deliver(event.data)
}))`
}
