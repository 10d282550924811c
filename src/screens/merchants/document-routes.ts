import { createHash } from 'node:crypto'
import type { ActRefused } from '../../acts/act.ts'
import { recordAct } from '../../audit-log/record-act.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { FORM_MAX_BYTES } from '../../console/read-fields.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import {
  DOCUMENT_MAX_BYTES,
  type FileRefusal,
  fileTypes,
  judgeFile,
  type MerchantDocument,
} from '../../merchant-files/document.ts'
import { openFile, sealFile } from '../../merchant-files/document-bytes.ts'
import { findDocument, readPiece } from '../../merchant-files/document-store.ts'
import {
  checkDocument,
  eraseDocument,
  receiveDocument,
  refuseDocument,
  type SealedFile,
} from '../../merchant-files/documents.ts'
import { readMerchantName } from '../../merchants/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Secret } from '../../values/secret.ts'
import { documentView, fileRefusals } from './document-view.ts'

type Request = ScreenRequest<'desk'>
type Deps = { readonly sql: Sql; readonly clock: Clock; readonly secretKey: Secret }
type ActDeps = Deps & ActScreenDeps

const PATH = '/merchants/documents/:id'

const getDocument = defineDeskScreen<Deps>({
  method: 'GET',
  path: PATH,
  operation: 'deskMerchantDocument',
  summary: 'Read the state of a document of a merchant',
  right: 'merchants.read',
  handle: (request, deps) => show(request, deps, []),
})

/** Gives the file as a download, a piece at a time. The line of the audit log says who took it. */
const getDocumentFile = defineDeskScreen<Deps>({
  method: 'GET',
  path: `${PATH}/file`,
  operation: 'deskMerchantDocumentFile',
  summary: 'Download the file of a document of a merchant',
  right: 'merchants.manage',
  takes_file: true,
  async handle({ params, actor }, { sql, secretKey }) {
    const document = await findDocument(sql, params.id!)
    if (document === null || document.file_type === null || document.status === 'erased') return absent
    const { merchant_id, id, kind, file_type } = document
    // Before the line that says who took it: with a lost key nobody takes anything.
    const stream = await openFile(secretKey, document, (piece) => readPiece(sql, document, piece))
    const taken = { actor, act: 'merchant_file.take_document', subject: id, after: { kind } } as const
    await sql.begin(async (tx) => recordAct(tx, { merchant_id, livemode: null }, taken))
    return { kind: 'file', name: `${kind}-${id}.${file_type}`, type: fileTypes[file_type], body: '', stream }
  },
})

const onPage = (verb: string, done: string) => ({
  path: `${PATH}/${verb}`,
  back: ({ at, params }: Request) => at(`/merchants/documents/${params.id}`),
  done: ({ params }: Request) => `/merchants/documents/${params.id}?done=${done}`,
  again: show,
})

const receive = deskAct<{ readonly file: SealedFile }, MerchantDocument, ActDeps & { readonly file: SealedFile }>(
  receiveDocument,
  { ...onPage('receive', 'saved'), path: PATH, prepare: sealSent },
)

/** The POST of a file, which has a larger body than other forms. */
const postFile = {
  ...receive,
  upload: {
    max_bytes: DOCUMENT_MAX_BYTES + FORM_MAX_BYTES,
    tooLarge: (request: Request, deps: Deps) => refuseFile(request, deps, 'too_large'),
  },
} as typeof receive

async function sealSent(request: Request, deps: ActDeps & { readonly file: SealedFile }) {
  const bytes = request.fields.file('file')?.bytes ?? Buffer.alloc(0)
  const judged = judgeFile(bytes)
  if (!(judged in fileTypes)) return refuseFile(request, deps, judged as FileRefusal)
  const pieces = sealFile(deps.secretKey, request.params.id!, bytes)
  const file = {
    file_type: judged as SealedFile['file_type'],
    bytes: bytes.length,
    hash: createHash('sha256').update(bytes).digest(),
    pieces,
  }
  return { ...deps, file }
}

const refuseFile = (request: Request, deps: Deps, why: FileRefusal) =>
  show(request, deps, [{ field: 'file', text: request.say(fileRefusals[why]) }])

async function show(
  request: Request,
  { sql, clock }: Deps,
  errors: readonly FieldError[],
  refusal: ActRefused | null = null,
): Promise<ScreenAnswer> {
  const document = await findDocument(sql, request.params.id!)
  if (document === null) return absent
  const name = (await readMerchantName(sql, document.merchant_id))!
  const shown = documentView(request, { document, name, now: clock.now() }, errors)
  return refusal === null ? shown : { ...shown, status: 409 }
}

export const documentScreens = [
  getDocument,
  getDocumentFile,
  postFile,
  deskAct<unknown, MerchantDocument, ActDeps>(checkDocument, onPage('check', 'saved')),
  deskAct<unknown, MerchantDocument, ActDeps>(refuseDocument, onPage('refuse', 'declined')),
  deskAct<unknown, MerchantDocument, ActDeps>(eraseDocument, onPage('erase', 'erased')),
] as const
