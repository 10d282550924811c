import type { PageRequest } from '../platform/http/pages/page-request.ts'
import type { Answer } from '../platform/http/refusal.ts'
import { defineRoute, type Refuse } from '../platform/http/route.ts'
import type { Sdk } from './serve-sdk.ts'

type Deps = { sdk: Sdk }

/** The common parts of these routes. */
const beside = {
  auth: 'open',
  method: 'GET',
  errors: { 404: ['resource_not_found'], 500: ['payment_failed'] },
  fault: 'payment_failed',
} as const

const or = (answer: Answer | null, refuse: Refuse<'resource_not_found'>) => answer ?? refuse('resource_not_found')

/** The addresses of the packages. An address with a hash gives the same bytes for ever. */
export const sdkRoutes = [
  defineRoute({
    ...beside,
    about: 'nothing',
    path: '/sdk',
    operation: 'showSdk',
    summary: 'Show the packages for merchants’ programs',
    handle: async (request: PageRequest & { refuse: Refuse<'resource_not_found'> }, { sdk }: Deps) =>
      or(await sdk.index(request), request.refuse),
  }),
  defineRoute({
    ...beside,
    about: 'nothing',
    path: '/sdk/node.tgz',
    operation: 'findNewestSdk',
    summary: 'Lead to the newest package for npm',
    handle: async ({ refuse }, { sdk }: Deps) => or(await sdk.newest(), refuse),
  }),
  defineRoute({
    ...beside,
    about: 'address',
    path: '/sdk/:file',
    operation: 'takeSdk',
    summary: 'Send a package',
    params: { file: 'text' },
    handle: async ({ params, refuse }, { sdk }: Deps) => or(await sdk.file(params.file), refuse),
  }),
  defineRoute({
    ...beside,
    about: 'address',
    path: '/sdk/:folder/:file',
    operation: 'takeSdkModule',
    summary: 'Send a module of a package',
    params: { folder: 'text', file: 'text' },
    handle: async ({ params, refuse }, { sdk }: Deps) => or(await sdk.file(`${params.folder}/${params.file}`), refuse),
  }),
] as const
