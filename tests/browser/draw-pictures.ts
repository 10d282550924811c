import { execFile, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readDemo } from '../../src/app/demo.ts'
import { readConfig } from '../../src/platform/config.ts'
import { startTwin } from '../../src/twin/start-twin.ts'
import { waitFor } from '../harness/wait-for.ts'
import { openBrowser, windowOf } from './browser.ts'

// Draws the pictures of the README from a service that runs beside it, on a fresh DATA_DIR:
//   npm start        and, in another terminal,        node_modules/.bin/node tests/browser/draw-pictures.ts

const pictures = new URL('../../docs/pictures/', import.meta.url)
const root = fileURLToPath(new URL('../../', import.meta.url))
const config = readConfig(process.env)
const demo = await readDemo(config)
if (demo === null) throw new Error(`There is no demo in ${config.data_dir}: start the service first.`)
const { collect_test } = demo.keys
const service = `http://127.0.0.1:${config.port}`

/** Calls the API with the demo's key. Returns the answer's text. */
async function post(path: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${collect_test}`, 'content-type': 'application/json' }
  const key = { 'idempotency-key': `picture-${crypto.randomUUID()}` }
  const answer = await fetch(service + path, {
    method: 'POST',
    headers: { ...headers, ...key },
    body: JSON.stringify(body),
  })
  return (await answer.text()).trim()
}

/** The hosted page as a telephone shows it, before the payer has entered anything. */
async function drawPage(): Promise<void> {
  const session = JSON.parse(await post('/v1-checkout', { amount: 10_000, description: 'Commande 1042' }))
  await using browser = await openBrowser()
  const page = await browser.newPage(windowOf(390))
  await page.goto(session.url)
  await page.screenshot({ path: fileURLToPath(new URL('page.png', pictures)), fullPage: true, animations: 'disabled' })
}

/** A telephone of the operators' twin, which asks for its owner's word. */
async function drawTelephone(): Promise<void> {
  const twin = await startTwin({ port: 0 })
  try {
    const { settings } = twin.connectors().pawapay!
    const accountDetails = { phoneNumber: '2250758412077', provider: 'ORANGE_CIV' }
    await fetch(`${twin.url}/pawapay/v2/deposits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${settings.api_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        depositId: crypto.randomUUID(),
        amount: '10000',
        currency: 'XOF',
        payer: { type: 'MMO', accountDetails },
      }),
    })
    await using browser = await openBrowser()
    const page = await browser.newPage(windowOf(390))
    await page.goto(`${twin.url}/phones`)
    const path = fileURLToPath(new URL('telephone.png', pictures))
    await page.locator('.phone').first().screenshot({ path, animations: 'disabled' })
  } finally {
    await twin.close()
  }
}

/** Draws a developer's first minute: a payment, its events, the balance. The output is the service's own. */
async function drawTerminal(): Promise<void> {
  const listener = spawn('bin/bandama', ['listen'], { cwd: root })
  let heard = ''
  listener.stdout.on('data', (bytes) => {
    heard += bytes
  })
  try {
    await waitFor(async () => heard.includes('Waiting for webhooks'), { what: 'the listener' })
    const body = { amount: 10_000, counterparty: { msisdn: '0700000000' } }
    const created = await post('/v1-payments', body)
    await waitFor(async () => heard.includes('payment.succeeded'), { what: 'the events' })
    const balance = (await run('bin/bandama', ['balance', '--merchant', '1', '--mode', 'test'], { cwd: root })).stdout
    const events = heard.split('\n').filter((line) => line.startsWith('signed'))
    const lines = [
      `$ curl -s ${service.replace(/\d+$/, '3000')}/v1-payments -H "Authorization: Bearer $KEY" \\`,
      `    -H 'Idempotency-Key: order-1042' -d '${JSON.stringify(body)}'`,
      ...folded(created),
      '',
      '$ bin/bandama listen',
      ...events,
      '',
      '$ bin/bandama balance --merchant 1 --mode test',
      ...balance.trimEnd().split('\n'),
    ]
    await writeFile(new URL('terminal.svg', pictures), terminal(lines))
  } finally {
    listener.kill('SIGTERM')
  }
}

const run = promisify(execFile)
const COLUMNS = 104

/** A long line in rows of a terminal. */
function folded(text: string): string[] {
  return text.match(new RegExp(`.{1,${COLUMNS}}`, 'gu')) ?? []
}

/** Lines as an SVG of a terminal; what is typed is green. */
function terminal(lines: readonly string[]): string {
  const [letter, row, edge] = [7.83, 19, 16]
  const width = Math.round(COLUMNS * letter + 2 * edge)
  const height = lines.length * row + 2 * edge
  const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  const typed = (line: string, at: number) => line.startsWith('$') || (lines[at - 1] ?? '').endsWith('\\')
  const rows = lines.map((line, at) =>
    line === ''
      ? ''
      : `<text x="${edge}" y="${edge + at * row + 14}"${typed(line, at) ? ' fill="#7ee787"' : ''}>${escaped(line)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#d5d9e0">
<title>A payment, its events and the balance in a terminal</title>
<style>text{white-space:pre}</style>
<rect width="${width}" height="${height}" rx="10" fill="#161b22"/>
${rows.filter((row) => row !== '').join('\n')}
</svg>
`
}

await drawPage()
await drawTerminal()
await drawTelephone()
