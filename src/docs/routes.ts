import type { PageRequest } from '../platform/http/pages/page-request.ts'
import type { Answer } from '../platform/http/refusal.ts'
import { defineRoute, type Refuse } from '../platform/http/route.ts'
import type { Docs } from './serve-docs.ts'

type Deps = { docs: Docs }
type Asked = PageRequest & { refuse: Refuse<'resource_not_found'> }

/** The common parts of these routes. They reach no database, and count for the limit of their caller's address like every call. */
const beside = {
  auth: 'open',
  about: 'nothing',
  method: 'GET',
  errors: { 404: ['resource_not_found'], 500: ['payment_failed'] },
  fault: 'payment_failed',
} as const

const or = (answer: Answer | null, refuse: Refuse<'resource_not_found'>) => answer ?? refuse('resource_not_found')

const lead = {
  ...beside,
  operation: 'leadToDocs',
  summary: 'Lead to the documentation in the language of the browser',
  handle: (request: PageRequest, { docs }: Deps) => docs.lead(request),
} as const

const show = {
  ...beside,
  operation: 'showDocs',
  summary: 'Show a page of the documentation, or its Markdown',
  handle: async (request: Asked, { docs }: Deps) => or(await docs.page(request), request.refuse),
} as const

/** The addresses of the documentation. */
export const docsRoutes = [
  defineRoute({ ...lead, path: '/docs' }),
  defineRoute({ ...lead, path: '/docs/' }),
  defineRoute({ ...lead, path: '/docs/errors' }),
  defineRoute({ ...lead, path: '/docs/errors/:code', params: { code: 'text' } }),
  defineRoute({ ...lead, path: '/docs/reference' }),
  defineRoute({ ...lead, path: '/docs/reference/:name', params: { name: 'text' } }),
  defineRoute({ ...show, path: '/docs/:language', params: { language: 'text' } }),
  defineRoute({ ...show, path: '/docs/:language/:page', params: { language: 'text', page: 'text' } }),
  defineRoute({
    ...show,
    path: '/docs/:language/:page/:name',
    params: { language: 'text', page: 'text', name: 'text' },
  }),
  defineRoute({
    ...beside,
    path: '/docs/style/:file',
    operation: 'styleDocs',
    summary: 'Send the style of the documentation',
    params: { file: 'text' },
    handle: async (request: Asked & { params: { readonly file: string } }, { docs }: Deps) =>
      or(await docs.style(request.params.file, request), request.refuse),
  }),
  defineRoute({
    ...beside,
    path: '/llms.txt',
    operation: 'listDocs',
    summary: 'List the pages of the documentation for programs',
    handle: (request: PageRequest, { docs }: Deps) => docs.list(request),
  }),
] as const
