import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Brand } from '../config.ts'
import { API_VERSION } from './exchanges.ts'
import { openApiDocument } from './openapi.ts'
import type { Route } from './route.ts'

/** Everything comes from us, and no script is written into the page. */
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

/**
 * Serves the description of the routes at `/openapi.json`, and the same to read and try at `/docs`.
 * @param introduction what a developer reads first, in Markdown
 */
export async function registerDocs(
  fastify: FastifyInstance,
  routes: readonly Route[],
  { brand, introduction }: { brand: Brand; introduction: string },
): Promise<void> {
  const document = openApiDocument(routes, { brand, version: API_VERSION, introduction })
  const text = JSON.stringify(document, null, 2)
  fastify.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(text))
  await fastify.register(swagger, { mode: 'static', specification: { document: document as never } })
  await fastify.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: `${brand.name} API` },
    // Without the bar on top, in which any address could be typed.
    uiConfig: { layout: 'BaseLayout', docExpansion: 'list', defaultModelsExpandDepth: 0 },
    staticCSP: CONTENT_SECURITY_POLICY,
  })
}
