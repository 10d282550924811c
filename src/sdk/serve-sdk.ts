import { packed, pageHeaders } from '../platform/http/pages/page-answer.ts'
import { languageOf, type PageRequest, queryOf } from '../platform/http/pages/page-request.ts'
import type { Answer } from '../platform/http/refusal.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { makePackages, type Packages } from './make-packages.ts'
import { sdkView } from './sdk-view.ts'
import { findFile, keepFiles, type ServedFile } from './store.ts'

/** The form of the names that we give: no other name can be in the database. */
const NAME = /^[a-z]+(?:-[a-z]+)?-[\w.+-]{1,40}-[0-9a-f]{8}(?:\.[a-z]{1,6}|\/[\w.-]{1,120})$/

/** The list that Composer reads. It changes with the service, so its address has no hash. */
const COMPOSER_LIST = 'composer/packages.json'

/** The most older files in memory. A build farm asks for few. */
const OLDER_MAX = 64

/** The packages of this service and their page. Null: no such address. */
export type Sdk = {
  /**
   * Makes the packages and keeps their files in the database. It never throws: the service goes on, `/sdk` answers 404 as long as they cannot be
   * made, and each look at its list tries anew what failed.
   */
  prepare(): Promise<void>
  /** The packages, for those who name their addresses. Null: they cannot be made now. */
  packages(): Promise<Packages | null>
  index(request: Pick<PageRequest, 'url' | 'headers'>): Promise<Answer | null>
  file(name: string): Promise<Answer | null>
  /** The redirect from `/sdk/node.tgz` to the newest package. */
  newest(): Promise<Answer | null>
}

/** @param origin the address of the service for others, known once it listens */
export function createSdk(deps: { sql: Sql; brand_name: string; origin: () => string; log: Log }): Sdk {
  const { sql, brand_name, log } = deps
  let making: Promise<Packages | null> | null = null
  const make = async () => makePackages({ origin: deps.origin(), brand_name })
  const made = () => {
    making ??= make().catch((error: unknown) => {
      making = null
      log.error({ error }, 'sdk: packages not made, /sdk answers 404')
      return null
    })
    return making
  }
  let keeping: Promise<void> | null = null
  const keep = (packages: Packages) => {
    keeping ??= keepFiles(sql, packages.files).catch((error: unknown) => {
      keeping = null
      log.warn({ error }, 'sdk: packages not kept, a later version will not know their addresses')
    })
    return keeping
  }
  /** For those who hand addresses out: they are kept too, and nobody waits for that. */
  const listed = async () => {
    const packages = await made()
    if (packages !== null) void keep(packages)
    return packages
  }
  const ours = async (name: string) => (await made())?.files.find((file) => file.name === name) ?? null
  const older = new Map<string, ServedFile>()

  async function findOlder(name: string): Promise<ServedFile | null> {
    const found = older.get(name) ?? (await findFile(sql, name))
    if (found === null) return null
    older.set(name, found)
    if (older.size > OLDER_MAX) older.delete(older.keys().next().value!)
    return found
  }

  return {
    async prepare() {
      const packages = await made()
      if (packages !== null) await keep(packages)
    },
    packages: listed,
    async index(request) {
      const packages = await listed()
      if (packages === null) return null
      return answerIndex(request, { ...packages, brand_name, origin: deps.origin() })
    },
    async file(name) {
      if (name === COMPOSER_LIST) return answerComposer(await listed())
      if (!NAME.test(name)) return null
      const found = (await ours(name)) ?? (await findOlder(name))
      return found === null ? null : answerFile(found)
    },
    async newest() {
      const node = (await listed())?.listed.find(({ name }) => name === 'node')
      if (node === undefined) return null
      return { status: 302, body: '', error_code: null, headers: { Location: new URL(node.url).pathname } }
    },
  }
}

type Index = Packages & { brand_name: string; origin: string }

function answerIndex({ url, headers }: Pick<PageRequest, 'url' | 'headers'>, index: Index): Promise<Answer> {
  if (!(headers.accept ?? '').toLowerCase().includes('text/html')) {
    const { version, brand_name: brand, origin, listed: packages } = index
    const body = JSON.stringify({ object: 'sdk', version, brand, url: origin, packages })
    return packed({ headers }, { status: 200, body, error_code: null, headers: { Vary: 'Accept, Accept-Encoding' } })
  }
  const { html, style_hashes } = sdkView(index, languageOf(queryOf(url), headers['accept-language']))
  const secure = index.origin.startsWith('https:')
  const ofPage = { ...pageHeaders(style_hashes, secure), 'Content-Type': 'text/html; charset=utf-8' }
  return packed({ headers }, { status: 200, body: html, error_code: null, headers: ofPage })
}

function answerComposer(packages: Packages | null): Answer | null {
  if (packages === null) return null
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }
  return { status: 200, body: packages.composer, error_code: null, headers }
}

function answerFile({ name, type, bytes }: ServedFile): Answer {
  const isModule = name.endsWith('.js')
  const types = `./${name.split('/').at(-1)!.replace(/\.js$/, '.d.ts')}`
  const headers = {
    'Content-Type': type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    ...(isModule && { 'X-TypeScript-Types': types }),
  }
  return { status: 200, body: bytes, error_code: null, headers }
}
