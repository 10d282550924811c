import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import type { Brand } from '../config.ts'
import { packedOnce } from './pages/page-answer.ts'
import type { Answer } from './refusal.ts'
import { defineRoute, type Route } from './route.ts'

/** Everything comes from our own address, and the page has no inline script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
/** A picture is compressed already. */
const PNG = 'image/png'

/** The files of Swagger UI that the page needs, by their names in its package, with their types. */
const library: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'index.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': SCRIPT,
  'favicon-32x32.png': PNG,
}

/** Starts the page, without the bar for other addresses and without the external validator. */
const starter = `window.onload = () => {
  window.ui = SwaggerUIBundle({
    dom_id: '#swagger-ui',
    url: '/openapi.json',
    layout: 'BaseLayout',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
  })
}
`

/** The common parts of a route that is not part of the interface and reads nothing. */
const beside = {
  auth: 'open',
  about: 'nothing',
  method: 'GET',
  errors: { 404: ['resource_not_found'], 500: ['payment_failed'] },
  fault: 'payment_failed',
} as const

/**
 * The routes of the contract: `/openapi.json` is `document`, and `/docs/try` shows it to read and to try.
 */
export async function contractRoutes(document: unknown, brand: Pick<Brand, 'name'>): Promise<Route<unknown>[]> {
  const described = JSON.stringify(document, null, 2)
  const describe = packedOnce({ status: 200, body: described, error_code: null, headers: null })
  const page = packedOnce({
    status: 200,
    body: pageOf(brand.name),
    error_code: null,
    headers: { 'Content-Type': HTML, 'Content-Security-Policy': CONTENT_SECURITY_POLICY },
  })
  const files = await readFiles()
  return [
    defineRoute({
      ...beside,
      path: '/openapi.json',
      operation: 'describeRoutes',
      summary: 'Describe the routes as OpenAPI',
      handle: describe,
    }),
    defineRoute({
      ...beside,
      path: '/docs/try',
      operation: 'tryRoutes',
      summary: 'Show the routes, to try them',
      handle: page,
    }),
    defineRoute({
      ...beside,
      path: '/docs/static/:file',
      operation: 'showDocumentationFile',
      summary: 'Send a file of the page that shows the routes',
      params: { file: 'text' },
      handle: ({ params, headers, refuse }) => files.get(params.file)?.({ headers }) ?? refuse('resource_not_found'),
    }),
  ]
}

type File = (to: { readonly headers: IncomingHttpHeaders }) => Answer | Promise<Answer>

async function readFiles(): Promise<ReadonlyMap<string, File>> {
  const files = new Map<string, File>([['start.js', packedOnce(fileAnswer(SCRIPT, starter))]])
  for (const [name, type] of Object.entries(library)) {
    const body = await readFile(new URL(import.meta.resolve(`@fastify/swagger-ui/static/${name}`)))
    const file = fileAnswer(type, body)
    files.set(name, type === PNG ? () => file : packedOnce(file))
  }
  return files
}

function fileAnswer(type: string, body: string | Buffer): Answer {
  const headers = {
    'Content-Type': type,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cache-Control': 'public, max-age=3600',
  }
  return { status: 200, body, error_code: null, headers }
}

function pageOf(name: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<title>${name} API</title>
<link rel="icon" type="image/png" href="/docs/static/favicon-32x32.png" sizes="32x32">
<link rel="stylesheet" href="/docs/static/swagger-ui.css">
<link rel="stylesheet" href="/docs/static/index.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/static/swagger-ui-bundle.js"></script>
<script src="/docs/static/start.js"></script>
</body>
</html>
`
}
