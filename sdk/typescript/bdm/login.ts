import { url as home } from '../src/home.ts'
import { connect } from './connect.ts'
import { put, readSecret } from './print.ts'
import { keepProfile } from './profile.ts'
import { Sentence } from './sentence.ts'

/** Asks for a key, tries it, and keeps it. A key is no word of a command: those stay in the history of the shell. */
export async function login(profile: string, options: { url?: string | undefined }): Promise<void> {
  const url = (options.url ?? home).replace(/\/+$/, '')
  if (url === '') throw new Sentence('--url is missing: the address of your instance, such as https://pay.example.ci.')
  const key = process.env.BANDAMA_KEY ?? (await readSecret('Secret key, from the console: '))
  if (key === '') throw new Sentence('No key came: type it when asked, send it on standard input, or set BANDAMA_KEY.')
  const { client, mode } = connect({ url, key })
  for await (const _ of client.events.list({ limit: '1' })) break
  const file = await keepProfile(profile, { url, key })
  put(`Logged in at ${url} in ${mode} mode. Kept in ${file}.`)
}
