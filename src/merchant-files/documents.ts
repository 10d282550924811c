import { type ActCall, defineAct, merchantInBothModes, refuse, row } from '../acts/act.ts'
import { choiceField, type Field, lineField, merchantFact, oneOf, optional, reasonField, text } from '../acts/facts.ts'
import { lockMerchant } from '../merchants/store.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { newId } from '../values/ids.ts'
import { isDay } from '../values/period.ts'
import { documentKinds, type FileType, type MerchantDocument } from './document.ts'
import * as store from './document-store.ts'

const aboutFact = text(['De qui, ou lequel', 'Whose, or which'])
const kindFact = oneOf(['Document', 'Document'], documentKinds)
const dayFact: Field<string> = {
  ...text(['Valable jusqu’au', 'Valid until']),
  read: (typed) => (isDay(typed) ? typed : undefined),
  form: {
    label: ['Valable jusqu’au (vide : sans fin)', 'Valid until (empty: without an end)'],
    kind: 'day',
    fault: ['Écrivez un jour.', 'Write a day.'],
  },
  option: {
    name: 'valid-until',
    value: 'DAY',
    says: 'its last valid day',
    sample: '2027-11-14',
    must: 'must be a day such as 2027-11-14.',
  },
}

const common = {
  right: 'merchants.manage',
  facts: { kind: kindFact, about: aboutFact, merchant: merchantFact },
} as const

const insertDocument = defineEffect('new row', store.insertDocuments)
const updateDocument = defineEffect<MerchantDocument>('merchant', async (tx, documents) => {
  for (const document of documents) await store.updateDocument(tx, document)
})
const eraseFile = defineEffect<MerchantDocument>('merchant', async (tx, documents) => {
  for (const document of documents) {
    await store.updateDocument(tx, document)
    await store.deletePieces(tx, document)
  }
})
const insertPieces = defineEffect<{ readonly document: MerchantDocument; readonly pieces: readonly Buffer[] }>(
  'new row',
  (tx, files) => {
    for (const { document, pieces } of files) store.insertPieces(tx, document, pieces)
  },
)

/** The most documents of a merchant on which nobody has decided. */
const OPEN_MAX = 200

/** Asks a merchant for a document. The line of the audit log has its kind alone, because `about` names people. */
export const askDocument = defineAct({
  ...common,
  name: 'merchant_file.ask_document',
  summary: 'Note that a merchant is asked for a document',
  title: ['Demander un document', 'Ask for a document'],
  fresh: false,
  on: merchantInBothModes,
  fields: {
    kind: choiceField(kindFact, {
      label: ['Document', 'Document'],
      choices: documentKinds,
      fault: ['Choisissez un document.', 'Choose a document.'],
      says: 'the kind of document',
    }),
    about: optional(
      lineField(aboutFact, {
        label: ['De qui, ou lequel', 'Whose, or which'],
        longest: 200,
        fault: ['Écrivez une ligne de 200 lettres au plus.', 'Write a line of 200 letters at most.'],
        option: { says: 'whose document, or which', sample: "'Affoué Konan'" },
      }),
    ),
  },
  async load(tx, { merchant_id }) {
    const locked = await lockMerchant(tx, merchant_id)
    return locked && { about: { merchant_id, livemode: null }, open: await store.countOpenDocuments(tx, merchant_id) }
  },
  content: (_, { kind, about }) => ({ kind, about }),
  decide({ by, merchant_id, values: { kind, about } }, { open }, now) {
    if (open >= OPEN_MAX) return refuse('too_many_open')
    const id = newId('mdo', now.getTime())
    const document: MerchantDocument = {
      ...{ merchant_id, id, kind, about, status: 'asked', asked_by: by.person, asked_at: now },
      ...{ received_by: null, received_at: null, file_type: null, bytes: null, hash: null },
      ...{ decided_by: null, decided_at: null, valid_until: null, refusal: null },
      ...{ erased_by: null, erased_at: null, erasure_reason: null },
    }
    const effects = [insertDocument(document)]
    return { kind: 'accepted', effects, result: document, subject: id, after: { status: 'asked', kind } }
  },
  refusals: {
    too_many_open: [
      `${OPEN_MAX} documents de ce marchand attendent déjà. Vérifiez-les ou refusez-les d’abord.`,
      `${OPEN_MAX} documents of this merchant wait already. Check or refuse them first.`,
    ],
  },
})

const onDocument = row('mdo', 'document', { place: 'of_merchant' })

type Call = Pick<ActCall<typeof onDocument>, 'id' | 'within'>

/** Locks the merchant of a document, then reads the document. */
async function loadDocument(tx: Tx, { id, within }: Call) {
  const found = await store.findDocument(tx, id)
  if (found === null || (within.merchant_id ?? found.merchant_id) !== found.merchant_id) return null
  const { merchant_id } = found
  await lockMerchant(tx, merchant_id)
  return { about: { merchant_id, livemode: null }, document: (await store.findDocument(tx, id))! }
}

type Has = { readonly document: MerchantDocument }
const contentOf = ({ document: { kind, about } }: Has) => ({ kind, about })

/** A file that was judged, and sealed for its document. */
export type SealedFile = {
  readonly file_type: FileType
  readonly bytes: number
  readonly hash: Buffer
  readonly pieces: readonly Buffer[]
}

/** Stores the file of a document that was asked for. Another file never takes its place: another copy is asked for anew. */
export const receiveDocument = defineAct({
  ...common,
  name: 'merchant_file.receive_document',
  summary: 'Store the file of a document of a merchant, sealed',
  title: ['Recevoir un document', 'Receive a document'],
  fresh: false,
  on: onDocument,
  fields: {},
  async load(tx: Tx, call: Call, { file }: { readonly file: SealedFile }) {
    const has = await loadDocument(tx, call)
    return has && { ...has, file }
  },
  content: contentOf,
  decide({ by }, { document, file: { pieces, ...file } }, now) {
    if (document.status !== 'asked') return refuse('received_already')
    const received = { ...document, ...file, status: 'received', received_by: by.person, received_at: now } as const
    const { file_type, bytes, hash } = file
    const after = { status: 'received', file_type, bytes, hash: hash.toString('hex') }
    const effects = [updateDocument(received), insertPieces({ document, pieces })]
    return { kind: 'accepted', effects, result: received, before: { status: 'asked' }, after }
  },
  refusals: {
    received_already: [
      'Ce document a déjà un fichier. Demandez-en un autre : le premier reste.',
      'This document has a file already. Ask for another one: the first stays.',
    ],
  },
})

const notReceived = ['Rien n’attend d’être vérifié ici.', 'Nothing waits to be checked here.'] as const

/** Notes that a person has read a document and found it right. */
export const checkDocument = defineAct({
  ...common,
  name: 'merchant_file.check_document',
  summary: 'Note that a received document is right, and until when it is valid',
  title: ['Vérifier ce document', 'Check this document'],
  fresh: true,
  on: onDocument,
  fields: { valid_until: optional(dayFact) },
  load: loadDocument,
  facts: { ...common.facts, valid_until: dayFact },
  content: (has, { valid_until }) => ({ ...contentOf(has), valid_until }),
  decide({ by, values: { valid_until } }, { document }, now) {
    if (document.status !== 'received') return refuse('not_received')
    if (valid_until !== null && valid_until < now.toISOString().slice(0, 10)) return refuse('over')
    const checked = { ...document, status: 'checked', decided_by: by.person, decided_at: now, valid_until } as const
    const change = { before: { status: 'received' }, after: { status: 'checked', valid_until } }
    return { kind: 'accepted', effects: [updateDocument(checked)], result: checked, ...change }
  },
  refusals: {
    not_received: notReceived,
    over: {
      words: ['Ce jour est passé : refusez le document.', 'This day is over: refuse the document.'],
      at: 'valid_until',
    },
  },
})

/** Refuses a received document. Its file stays until a person erases it. */
export const refuseDocument = defineAct({
  ...common,
  name: 'merchant_file.refuse_document',
  summary: 'Refuse a received document, with a reason',
  title: ['Refuser ce document', 'Refuse this document'],
  fresh: false,
  on: onDocument,
  fields: { reason: reasonField(['Pourquoi', 'Why']) },
  load: loadDocument,
  content: contentOf,
  decide({ by, values: { reason: refusal } }, { document }, now) {
    if (document.status !== 'received') return refuse('not_received')
    const refused = { ...document, status: 'refused', decided_by: by.person, decided_at: now, refusal } as const
    const change = { before: { status: 'received' }, after: { status: 'refused' } }
    return { kind: 'accepted', effects: [updateDocument(refused)], result: refused, ...change }
  },
  refusals: { not_received: notReceived },
})

/** Deletes the file of a refused document, such as a card of another person. The row stays with its hash. */
export const eraseDocument = defineAct({
  ...common,
  name: 'merchant_file.erase_document',
  summary: 'Erase the file of a refused document for good, with a reason',
  title: ['Effacer ce fichier pour toujours', 'Erase this file for good'],
  fresh: true,
  on: onDocument,
  fields: { reason: reasonField(['Pourquoi', 'Why']) },
  load: loadDocument,
  content: contentOf,
  decide({ by, values: { reason: erasure_reason } }, { document }, now) {
    if (document.status !== 'refused') return refuse('not_refused')
    const erased = { ...document, status: 'erased', erased_by: by.person, erased_at: now, erasure_reason } as const
    const change = { before: { status: 'refused' }, after: { status: 'erased' } }
    return { kind: 'accepted', effects: [eraseFile(erased)], result: erased, ...change }
  },
  refusals: {
    not_refused: [
      'Seul le fichier d’un document refusé s’efface.',
      'Only the file of a refused document can be erased.',
    ],
  },
})
