import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pageViews } from '../../src/checkout/page/views.ts'
import { pagePolicy } from '../../src/platform/http/pages/page-answer.ts'
import { type Language, languages } from '../../src/values/language.ts'
import { failureSituations, type PageSituation, pageSituations } from '../harness/page-situations.ts'

/** Where a situation is shown: `/<name>?lang=fr`. */
export type Screenshots = { address: (situation: PageSituation, language: Language) => string; close(): void }

/**
 * Shows every situation under the policy that the service sends, so that what the browser refuses there it refuses here.
 */
export async function openScreenshots(): Promise<Screenshots> {
  const all = new Map([...pageSituations, ...failureSituations].map((situation) => [situation.name, situation]))
  const server = createServer((request, response) => {
    // A page that looks whether another is due is kept waiting: here a situation lasts.
    if (request.headers.accept === 'application/json') return
    const { pathname, searchParams } = new URL(request.url!, 'http://screenshots')
    const asset = pageViews.assets.get(pathname.replace('/page/', ''))
    if (asset !== undefined) return response.setHeader('content-type', asset.type).end(asset.body)
    const language = languages.find((one) => one === searchParams.get('lang')) ?? 'fr'
    const view = all.get(pathname.slice(1))?.render(language)
    if (view === undefined) return response.writeHead(404).end()
    response.setHeader('content-security-policy', pagePolicy(view.style_hashes))
    response.setHeader('content-type', 'text/html; charset=utf-8').end(view.html)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    address: ({ name }, language) => `http://127.0.0.1:${port}/${name}?lang=${language}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
