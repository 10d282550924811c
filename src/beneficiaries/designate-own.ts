import { defineEffect } from '../platform/commands/effects.ts'
import type { Tenant } from '../values/caller.ts'
import { insertOwn } from './proposal-store.ts'
import * as store from './store.ts'

/** A number that its owner proved, and chose alone. */
export type OwnDestination = Tenant & {
  /** Of the entry of the book, new or not. */
  readonly id: string
  readonly new_entry: store.NewEntry | null
  readonly person: string
  readonly proof_session_id: string
}

/** Writes the entry, its designation, from which its cooling-off counts, and the change. The merchant's destinations are locked, and none is designated. */
export const designateOwn = defineEffect<OwnDestination>('book size', async (tx, chosen) => {
  for (const { new_entry, ...own } of chosen) {
    if (new_entry !== null) store.insertEntries(tx, [new_entry])
    await store.designateEntry(tx, own, null)
    await insertOwn(tx, own)
  }
})
