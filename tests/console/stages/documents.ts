import assert from 'node:assert/strict'
import {
  askDocument,
  checkDocument,
  eraseDocument,
  receiveDocument,
  refuseDocument,
} from '../../../src/merchant-files/documents.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { perform } from '../../harness/perform.ts'
import { ofMerchant, rename, rowOf, type Stage, type Stand, type Subject } from './stage.ts'

/** A document of the stand's merchant, received without bytes. */
export async function newDocument(
  stand: Pick<Stand, 'sql' | 'tenant'>,
  status: 'asked' | 'received' | 'refused',
): Promise<Subject> {
  const { sql, tenant } = stand
  const deps = { sql, clock: createClock() }
  const { merchant_id } = tenant
  const made = await perform(askDocument, deps, { merchant_id, values: { kind: 'identity', about: null } })
  assert.ok(made.kind === 'done')
  const { id } = made.result
  const file = { file_type: 'pdf', bytes: 9, hash: Buffer.alloc(32), pieces: [] } as const
  if (status !== 'asked') await perform(receiveDocument, { ...deps, file }, { id })
  if (status === 'refused') await perform(refuseDocument, deps, { id, values: { reason: 'Illisible' } })
  return { ...rowOf(stand as Stand, 'merchant_documents', id), change: () => rename(stand as Stand) }
}

export const documents: readonly Stage[] = [
  {
    act: askDocument,
    fields: { kind: 'identity', about: 'Affoué Konan' },
    otherFields: { kind: 'rccm', about: '' },
    open: async (stand) => ofMerchant(stand, 'merchant_documents'),
  },
  // Its page takes a file: desk-merchant-documents.test.ts.
  { act: receiveDocument, byHand: true, inBothModes: true, open: (stand) => newDocument(stand, 'asked') },
  {
    act: checkDocument,
    inBothModes: true,
    fields: { valid_until: '2099-11-14' },
    otherFields: { valid_until: '' },
    open: (stand) => newDocument(stand, 'received'),
  },
  {
    act: refuseDocument,
    inBothModes: true,
    fields: { reason: 'Illisible' },
    open: (stand) => newDocument(stand, 'received'),
  },
  {
    act: eraseDocument,
    inBothModes: true,
    fields: { reason: 'La carte d’une autre personne' },
    open: (stand) => newDocument(stand, 'refused'),
  },
]
