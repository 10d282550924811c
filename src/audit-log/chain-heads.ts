import type { Db } from '../platform/postgres/database.ts'
import * as store from './store.ts'

/** The last link of the chain of one merchant, or of the service as a whole. `hash` is in hexadecimal digits, and covers all lines before. */
export type ChainHead = { merchant_id: number; sequence: number; hash: string }

/**
 * Reads the head of each chain. The chain itself cannot show that its end was removed, so each head goes out of the database, where the people
 * who administer it do not write.
 */
export function readChainHeads(db: Db): Promise<ChainHead[]> {
  return store.readHeads(db)
}

/** Writes a head as one word: `<merchant>:<line>:<hash>`. */
export function writeHead({ merchant_id, sequence, hash }: ChainHead): string {
  return `${merchant_id}:${sequence}:${hash}`
}

/** Reads a head as `writeHead` writes it. Null for anything else. */
export function parseHead(text: string): ChainHead | null {
  const [, merchant, sequence, hash] = /^(\d{1,15}):([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  return hash === undefined ? null : { merchant_id: Number(merchant), sequence: Number(sequence), hash }
}

/** Returns the heads of earlier moments that the chains do not have any more: their line is missing, or has another hash. */
export async function findLostHeads(db: Db, heads: readonly ChainHead[]): Promise<ChainHead[]> {
  if (heads.length === 0) return []
  const links = await store.readLinks(db, heads)
  const kept = new Set(links.map(writeHead))
  return heads.filter((head) => !kept.has(writeHead(head)))
}
