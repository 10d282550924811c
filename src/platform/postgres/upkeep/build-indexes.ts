import type pg from 'pg'

/** A file of indexes that are built beside the traffic is named so. */
export const buildsIndexes = (file: string) => file.endsWith('_concurrently.sql')

const form = /^create (?:unique )?index concurrently if not exists (\w+)\s+on\s/

/**
 * Builds the indexes of a file one after the other, each beside the traffic: nobody's write waits, only other changes of the same table.
 * Such a statement can be in no transaction. It waits for everybody who began to read before it, and takes the time it takes. An
 * index left invalid by an interrupted build is dropped and built anew. A valid one stays.
 *
 * Two builds of one index at a time would undo one another: the caller sees to it that this is the only one.
 * @param client whose statements may take as long as they take
 * @param text statements of the form `create [unique] index concurrently if not exists …`
 * @throws when one is of another form, before any is carried out
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
