import { randomBytes } from 'node:crypto'
import { openPool } from './database.ts'

/** Copies of databases, as a backup or a restore makes them. All are dropped at the end. */
export function openCopies() {
  const admin = openPool({ url: process.env.TEST_DATABASE_URL!, connections: 1, name: 'test of a copy' })
  const names: string[] = []
  const nameIn = (url: string) => new URL(url).pathname.slice(1)

  async function copy(from: string, to: string): Promise<void> {
    await admin.unsafe('set statement_timeout = 0')
    await admin`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${from}`
    await admin`create database ${admin(to)} template ${admin(from)}`
  }
  return {
    /** Copies a database and returns the URL of the copy. It ends the connections to the database. */
    async copyOf(url: string): Promise<string> {
      const name = `bandama_copy_${randomBytes(8).toString('hex')}`
      names.push(name)
      await copy(nameIn(url), name)
      return Object.assign(new URL(url), { pathname: `/${name}` }).href
    },
    /** Replaces a database by a copy. */
    async putBack(url: string, kept: string): Promise<void> {
      await admin`drop database ${admin(nameIn(url))} with (force)`
      await copy(nameIn(kept), nameIn(url))
    },
    async [Symbol.asyncDispose]() {
      for (const name of names) await admin`drop database if exists ${admin(name)} with (force)`
      await admin.end({ timeout: 1 })
    },
  }
}
