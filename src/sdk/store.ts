import type { Sql } from '../platform/postgres/database.ts'

/** A file as it is given out. */
export type ServedFile = {
  /** The end of its address, behind `/sdk/`. */
  name: string
  type: string
  bytes: Buffer
  sha512: Buffer
}

/** Keeps the files that the database does not have yet. Two processes at once keep each file once: its name says its content. */
export async function keepFiles(sql: Sql, files: readonly ServedFile[]): Promise<void> {
  const names = files.map(({ name }) => name)
  const rows = await sql<{ name: string }[]>`select name from served_files where name = any(${names}::text[])`
  const known = new Set(rows.map(({ name }) => name))
  for (const { name, type, bytes, sha512 } of files.filter((file) => !known.has(file.name))) {
    await sql`
      insert into served_files (name, type, bytes, sha512)
      values (${name}, ${type}, ${bytes}, ${sha512})
          on conflict (name) do nothing`
  }
}

/** Reads a file that this or another version of the service gave out. Null: none did. */
export async function findFile(sql: Sql, name: string): Promise<ServedFile | null> {
  const [row] = await sql<ServedFile[]>`
    select name, type, bytes, sha512
      from served_files
     where name = ${name}`
  return row ?? null
}
