import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrate } from '../../src/platform/postgres/upkeep/migrate.ts'
import { createEmptyDatabase } from './database.ts'

/**
 * The folder of a few migrations on tables of their own. They exchange the keys of tables that others write to, with an index built
 * beside the writers, so that the way migrations are applied is tested on a schema that never changes.
 */
export const example = new URL('example-migrations/', import.meta.url)

/**
 * A database with the example's migrations before a file, dropped at the end.
 * @param file `0002_`, say
 */
export async function createDatabaseBefore(file: string) {
  const empty = await createEmptyDatabase()
  const earlier = await mkdtemp(join(tmpdir(), 'bandama-example-'))
  try {
    for (const found of (await readdir(example)).filter((one) => one < file)) {
      await copyFile(new URL(found, example), join(earlier, found))
    }
    await migrate(empty.url, null, pathToFileURL(`${earlier}/`))
    return empty
  } finally {
    await rm(earlier, { recursive: true, force: true })
  }
}
