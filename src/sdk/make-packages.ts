import { createHash } from 'node:crypto'
import { type Home, type PackageFiles, readTypeScriptPackage } from './package-files.ts'
import type { ServedFile } from './store.ts'
import { writeTar } from './write-tar.ts'

/** A package in the list at `/sdk`. */
export type ListedPackage = {
  /** The kind of package: `node` for npm, `js` for programs that import from an address. */
  name: 'node' | 'js'
  /** The name under which programs import it. */
  package: string
  version: string
  url: string
  /** As lock files and `integrity` attributes write it. */
  integrity: string
  bytes: number
  /** The line that installs or imports it. */
  install: string
}

/** Everything that this process gives out. */
export type Packages = {
  listed: readonly ListedPackage[]
  files: readonly ServedFile[]
  /** The version of the newest package. */
  version: string
}

/** Makes the packages for this address and this brand. The same sources give the same names and bytes in every process. */
export async function makePackages(home: Home): Promise<Packages> {
  const read = await readTypeScriptPackage(home)
  const made = [await makeNode(home, read), makeModules(home, read)]
  return {
    listed: made.map(({ listed }) => listed),
    files: made.flatMap(({ files }) => files),
    version: read.version,
  }
}

type Made = { listed: ListedPackage; files: ServedFile[] }

/** The package for npm, whose files are in a folder `package`. */
async function makeNode({ origin }: Home, { name, version, files }: PackageFiles): Promise<Made> {
  const bytes = await writeTar(new Map([...files].map(([path, body]) => [`package/${path}`, body])))
  const file = fileOf(`node-${version}-${shortHash([bytes])}.tgz`, 'application/gzip', bytes)
  const url = `${origin}/sdk/${file.name}`
  const listed = { name: 'node', package: name, version, url, ...facts(file), install: `npm install ${url}` } as const
  return { listed, files: [file] }
}

const MODULES = 'dist/esm/'

/** The same modules to import from their address, as Deno and Supabase do. */
function makeModules({ origin }: Home, { name, version, files }: PackageFiles): Made {
  const modules = [...files].filter(([path]) => path.startsWith(MODULES) && !path.endsWith('.json'))
  const folder = `js-${version}-${shortHash(modules.flatMap(([path, body]) => [Buffer.from(path), body]))}`
  const served = modules.map(([path, body]) => {
    const type = path.endsWith('.d.ts') ? 'text/typescript' : 'text/javascript'
    return fileOf(`${folder}/${path.slice(MODULES.length)}`, `${type}; charset=utf-8`, body)
  })
  const entry = served.find((file) => file.name === `${folder}/index.js`)!
  const url = `${origin}/sdk/${entry.name}`
  const install = `import { Bandama } from '${url}'`
  return { listed: { name: 'js', package: name, version, url, ...facts(entry), install }, files: served }
}

function fileOf(name: string, type: string, bytes: Buffer): ServedFile {
  return { name, type, bytes, sha512: createHash('sha512').update(bytes).digest() }
}

function facts({ bytes, sha512 }: ServedFile) {
  return { integrity: `sha512-${sha512.toString('base64')}`, bytes: bytes.length }
}

/** Eight letters of the hash of contents: they name their address, so an address never gives other bytes. */
function shortHash(contents: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const content of contents) hash.update(`${content.length}\0`).update(content)
  return hash.digest('hex').slice(0, 8)
}
