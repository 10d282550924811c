import type pg from 'pg'

/** The end of the name of a file whose indexes are built concurrently. */
export const buildsIndexes = (file: string) => file.endsWith('_concurrently.sql')

const form = /^create (?:unique )?index concurrently if not exists (\w+)\s+on\s/

/**
 * Builds the indexes of a file concurrently, one after the other: writes do not wait, only other changes of the table's schema do.
 * Such a statement cannot run in a transaction. It waits for every earlier reader, and its duration has no limit. It drops an invalid
 * index, which an interrupted build left, and builds it again. It keeps a valid one.
 *
 * Two simultaneous builds of one index would undo each other, so the caller must prevent them.
 * @param client a connection without a time limit for statements
 * @param text statements of the form `create [unique] index concurrently if not exists …`
 * @throws if a statement has another form, before any is executed
 */
export async function buildIndexes(client: pg.Client, text: string): Promise<void> {
  for (const { index, statement } of statementsOf(text)) {
    if (await isInvalid(client, index)) await client.query(`drop index concurrently ${index}`)
    await client.query(statement)
  }
}

function statementsOf(text: string): { index: string; statement: string }[] {
  return text
    .replaceAll(/^\s*--.*$/gm, '')
    .split(';')
    .map((one) => one.trim())
    .filter((statement) => statement !== '')
    .map((statement) => {
      const index = form.exec(statement)?.[1]
      if (index === undefined) throw new Error(`Not an index that is built concurrently: ${statement}`)
      return { index, statement }
    })
}

async function isInvalid(client: pg.Client, index: string): Promise<boolean> {
  const { rows } = await client.query(
    'select indexrelid from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  )
  return rows.length > 0
}
