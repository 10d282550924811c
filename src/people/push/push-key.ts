import webPush from 'web-push'
import type { Sql } from '../../platform/postgres/database.ts'
import { seal, unseal } from '../../platform/sealing.ts'
import * as store from './push-store.ts'

export type PushKey = { readonly publicKey: string; readonly privateKey: string }

const PLACE = 'push key'

/**
 * Reads the key by which push services know this installation, and makes it at the first call. All processes have the same one: the first that
 * stores its key wins.
 */
export function createPushKey(sql: Sql, key: Buffer): () => Promise<PushKey> {
  let known: Promise<PushKey> | null = null
  const read = async (): Promise<PushKey> => {
    const stored = await store.readPushKey(sql)
    if (stored !== null) return { publicKey: stored.public_key, privateKey: unseal(key, stored.private_sealed, PLACE) }
    const { publicKey, privateKey } = webPush.generateVAPIDKeys()
    await store.insertPushKey(sql, { public_key: publicKey, private_sealed: seal(key, privateKey, PLACE) })
    return read()
  }
  return () => {
    known ??= read().catch((error) => {
      known = null
      throw error
    })
    return known
  }
}
