import { glob, readFile } from 'node:fs/promises'

/** A package as it lies in the repository, with what this installation writes into it. */
export type PackageFiles = {
  /** The name under which programs import it. */
  name: string
  version: string
  /** By path within the package, in a stable order. */
  files: ReadonlyMap<string, Buffer>
}

/** The place of an installation and its brand: both are written into the packages. */
export type Home = { origin: string; brand_name: string }

const FOLDER = new URL('../../sdk/typescript/', import.meta.url)
const LICENSE = new URL('../../LICENSE', import.meta.url)

/** Reads the TypeScript package, and writes the address and the brand of this installation into it. */
export async function readTypeScriptPackage({ origin, brand_name }: Home): Promise<PackageFiles> {
  const manifest = JSON.parse(await readFile(new URL('package.json', FOLDER), 'utf8')) as { version: string }
  const name = packageName(brand_name)
  const description = `Collect and pay out by mobile money through ${brand_name}`
  const files = new Map([
    ['LICENSE', await readFile(LICENSE)],
    ['README.md', readMe(brand_name, name, origin)],
    ['package.json', jsonOf({ ...manifest, name, description })],
  ])
  const built = await Array.fromAsync(glob('dist/**/*.{js,ts,json}', { cwd: FOLDER }))
  for (const path of built.sort()) {
    const bytes = await readFile(new URL(path, FOLDER))
    files.set(path, /\/home\.js$/.test(path) ? withOrigin(bytes.toString('utf8'), origin) : bytes)
  }
  return { name, version: manifest.version, files }
}

/** The name of a package for a brand: `Banque d’Abidjan` becomes `banque-d-abidjan`. */
export function packageName(brand_name: string): string {
  const name = brand_name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return name.replaceAll(/^-|-$/g, '') || 'bandama'
}

/** @throws if the build no longer has the place for the address */
function withOrigin(code: string, origin: string): Buffer {
  const written = code.replace(/\burl = '';/, () => `url = ${JSON.stringify(origin)};`)
  if (written === code) throw new Error('The build of the SDK has no place for the address of this service.')
  return Buffer.from(written)
}

function readMe(brand_name: string, name: string, origin: string): Buffer {
  const lines = [`# ${name}`, '', `The client of ${brand_name}, made by ${origin}. Its guide: ${origin}/sdk`, '']
  return Buffer.from(lines.join('\n'))
}

function jsonOf(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}
