import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrate } from '../../src/platform/postgres/upkeep/migrate.ts'
import { createEmptyDatabase } from './database.ts'

/**
 * The folder of some example migrations with their own tables. They replace keys of tables during writes, with a concurrently built index,
 * so that tests of the migration procedure use a schema that never changes.
 */
export const example = new URL('example-migrations/', import.meta.url)

/**
 * Opens a database with the migrations before a file. It is dropped at the end.
 * @param file the beginning of a file name, such as `0002_`
 */
export async function createDatabaseBefore(file: string) {
  const empty = await createEmptyDatabase()
  const earlier = await mkdtemp(join(tmpdir(), 'bandama-example-'))
  try {
    for (const found of (await readdir(example)).filter((one) => /^\d{4}_.*\.sql$/.test(one) && one < file)) {
      await copyFile(new URL(found, example), join(earlier, found))
    }
    await migrate(empty.url, null, pathToFileURL(`${earlier}/`))
    return empty
  } finally {
    await rm(earlier, { recursive: true, force: true })
  }
}
