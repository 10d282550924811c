import { openDatabase, type Sql } from './database.ts'
import type { Servers } from './servers.ts'

/** A file of indexes that are built beside the traffic is named so. */
export const buildsIndexes = (file: string) => file.endsWith('_concurrently.sql')

const form = /^create (?:unique )?index concurrently if not exists (\w+)\s+on\s/

/**
 * Builds the indexes of a file one after the other, each beside the traffic: nobody's write waits, only other changes of the same table.
 * Such a statement can be in no transaction, and it waits for whoever began to read before it, so that it has a connection of its own
 * and all the time it takes. One that was interrupted left an index that is no use to anybody; that is dropped and built anew, and one
 * that is there is left as it is.
 * @param url of the servers themselves, without a pooler
 * @param text statements of the form `create [unique] index concurrently if not exists …`
 * @throws when one is of another form
 */
export async function buildIndexes(url: string | Servers, text: string): Promise<void> {
  const statements = statementsOf(text)
  const sql = openDatabase({ url, connections: 1, name: 'bandama indexes' })
  try {
    await sql`set statement_timeout = 0`
    await sql`set lock_timeout = 0`
    for (const { index, statement } of statements) {
      if (await isInvalid(sql, index)) await sql.unsafe(`drop index concurrently ${index}`)
      await sql.unsafe(statement)
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function statementsOf(text: string): { index: string; statement: string }[] {
  const withoutComments = text.replaceAll(/^\s*--.*$/gm, '')
  return withoutComments
    .split(';')
    .map((one) => one.trim())
    .filter((statement) => statement !== '')
    .map((statement) => {
      const index = form.exec(statement)?.[1]
      if (index === undefined) throw new Error(`Not an index that is built concurrently: ${statement}`)
      return { index, statement }
    })
}

async function isInvalid(sql: Sql, index: string): Promise<boolean> {
  const rows = await sql`
    select i.indexrelid
      from pg_index i
     where i.indexrelid = to_regclass(${index}) and not i.indisvalid`
  return rows.length > 0
}
