import { defineAct, row } from '../acts/act.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { type BeneficiaryKey, type BeneficiaryRow, beneficiaryIdIn } from './beneficiary.ts'
import { lockBook } from './create-destination.ts'
import * as store from './store.ts'

type Archive = { readonly key: BeneficiaryKey; readonly archived_by: string; readonly archived_at: Date }

const archiveEntry = defineEffect<Archive>('beneficiary', async (tx, archived) => {
  for (const { key, ...archive } of archived) await store.archiveEntry(tx, key, archive)
})

/** An entry with its archiving, as the command prints it. */
export type Archived = Pick<BeneficiaryRow, 'id' | 'active' | 'archived_at'>

/**
 * Archives an entry. New payouts cannot name it, payouts in progress continue, and the same number can be added again under another
 * id. A settlement destination loses its designation. Archiving it again changes nothing.
 *
 * It takes the lock under which the merchant's payouts are decided, so that each payout is decided before it, or sees it. A merchant's console
 * archives entries of its payout book alone.
 */
export const archiveBeneficiary = defineAct({
  name: 'beneficiary.archive',
  summary: 'Archive an entry of a book: no new payout goes there, and its number can be added again',
  title: ['Archiver ce bénéficiaire', 'Archive this beneficiary'],
  right: 'beneficiaries.manage',
  fresh: false,
  on: row('uuid', 'entry of the book'),
  fields: {},
  async load(tx, { id: typed, within: { merchant_id } }) {
    const id = beneficiaryIdIn(typed)
    const key = id === null ? null : await store.findEntry(tx, id)
    if (key === null) return null
    await lockBook(tx, key)
    const { designated_at } = await store.lockEntry(tx, key)
    const entry = (await store.readBeneficiary(tx, key))!
    const isElsewhere = merchant_id !== undefined && (key.merchant_id !== merchant_id || entry.kind !== 'payout')
    return isElsewhere ? null : { about: key, entry, designated_at }
  },
  facts: {},
  content: () => ({}),
  decide({ by }, { about: key, entry, designated_at }, now) {
    const { id, active, archived_at } = entry
    const result: Archived = { id, active: false, archived_at: archived_at ?? now }
    if (!active) return { kind: 'unchanged', result }
    return {
      kind: 'accepted',
      effects: [archiveEntry({ key, archived_by: by.person, archived_at: now })],
      result,
      subject: id,
      before: { active, designated_at },
      after: { active: false, designated_at: null },
    }
  },
  refusals: {},
  unknown: 'There is no beneficiary {id}.',
})
