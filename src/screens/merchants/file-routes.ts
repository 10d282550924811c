import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { askDocument } from '../../merchant-files/documents.ts'
import { addOwner, endOwner } from '../../merchant-files/owners.ts'
import { setFile } from '../../merchant-files/set-file.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { merchantIdIn } from '../../values/read-typed.ts'
import { readFileFacts } from './file-facts.ts'
import { fileEditView, fileView } from './file-view.ts'

type Request = ScreenRequest<'desk'>
type Deps = { readonly sql: Sql; readonly clock: Clock }

const getFile = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/merchants/:id/file',
  operation: 'deskMerchantFile',
  summary: 'Read the file of a merchant: its business and its owners',
  right: 'merchants.read',
  handle: (request, deps) => show(request, deps, []),
})

const getFileForm = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/merchants/:id/file/edit',
  operation: 'deskMerchantFileForm',
  summary: 'The form of the facts of a merchant',
  right: 'merchants.manage',
  handle: (request, deps) => edit(request, deps, []),
})

type ActDeps = Deps & ActScreenDeps

const postFile = deskAct<unknown, unknown, ActDeps>(setFile, {
  path: '/merchants/:id/file',
  back: ({ at, params }) => at(`/merchants/${params.id}/file/edit`),
  done: ({ params }) => `/merchants/${params.id}/file?done=saved`,
  again: edit,
})

const postDocument = deskAct<unknown, { id: string }, ActDeps>(askDocument, {
  path: '/merchants/:id/file/documents',
  back: ({ at, params }) => at(`/merchants/${params.id}/file`),
  done: (_, { id }) => `/merchants/documents/${id}?done=saved`,
  again: show,
})

const postOwner = deskAct<unknown, unknown, ActDeps>(addOwner, {
  path: '/merchants/:id/file/owners',
  back: ({ at, params }) => at(`/merchants/${params.id}/file`),
  done: ({ params }) => `/merchants/${params.id}/file?done=saved`,
  again: show,
})

/** The page of the owner's merchant, which the form names beside the owner. */
const placeOf = ({ fields }: Request) => {
  const merchant_id = merchantIdIn(fields.text('merchant'))
  return merchant_id === null ? '/merchants' : `/merchants/${merchant_id}/file`
}

const postOwnerEnd = deskAct<unknown, { merchant_id: number }, ActDeps>(endOwner, {
  path: '/merchants/owners/:id/end',
  back: (request) => request.at(placeOf(request)),
  done: (_, { merchant_id }) => `/merchants/${merchant_id}/file?done=removed`,
  again: async () => absent,
})

async function show(request: Request, deps: Deps, errors: readonly FieldError[]): Promise<ScreenAnswer> {
  const facts = await readFileFacts(request, deps)
  return facts === null ? absent : fileView(request, facts, errors)
}

async function edit(request: Request, deps: Deps, errors: readonly FieldError[]): Promise<ScreenAnswer> {
  const facts = await readFileFacts(request, deps)
  return facts === null ? absent : fileEditView(request, facts, errors)
}

export const fileScreens = [getFile, getFileForm, postFile, postDocument, postOwner, postOwnerEnd] as const
