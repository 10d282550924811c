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
const PHP = new URL('../../sdk/php/', import.meta.url)
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
    files.set(path, /\/home\.js$|\/bdm\.js$/.test(path) ? withOrigin(bytes.toString('utf8'), origin) : bytes)
  }
  return { name, version: manifest.version, files }
}

/** Reads the PHP package, and writes the address and the brand of this installation into it. Its sources are in the order of their names. */
export async function readPhpPackage({ origin, brand_name }: Home): Promise<PackageFiles> {
  const manifest = JSON.parse(await readFile(new URL('composer.json', PHP), 'utf8')) as { version: string }
  const name = `${packageName(brand_name)}/php`
  const description = `Collect and pay out by mobile money through ${brand_name}`
  const files = new Map([
    ['LICENSE', await readFile(LICENSE)],
    ['README.md', readMe(brand_name, name, origin)],
    ['composer.json', jsonOf({ ...manifest, name, description })],
  ])
  const sources = await Array.fromAsync(glob('src/*.php', { cwd: PHP }))
  for (const path of sources.sort()) {
    const bytes = await readFile(new URL(path, PHP))
    files.set(path, path === 'src/home.php' ? withOriginInPhp(bytes.toString('utf8'), origin) : bytes)
  }
  return { name, version: manifest.version, files }
}

const PYTHON = new URL('../../sdk/python/bandama/', import.meta.url)

/** The Python package, as `writeWheel` takes it. `name` is that of its module, with `_` for every `-`. */
export type PythonPackage = PackageFiles & { metadata: readonly string[]; license: Buffer }

/** Reads the Python package, and writes the address and the brand of this installation into it. */
export async function readPythonPackage({ origin, brand_name }: Home): Promise<PythonPackage> {
  const name = moduleName(packageName(brand_name))
  const distribution = name.replaceAll('_', '-')
  const files = new Map<string, Buffer>()
  for (const path of (await Array.fromAsync(glob('*.{py,typed}', { cwd: PYTHON }))).sort())
    files.set(`${name}/${path}`, await readFile(new URL(path, PYTHON)))
  const home = files.get(`${name}/_home.py`)!.toString('utf8')
  const version = /VERSION = "([\w.]+)"/.exec(home)![1]!
  const written = home.replace('URL = ""', () => `URL = ${JSON.stringify(origin)}`)
  if (written === home) throw new Error('The Python package has no place for the address of this service.')
  files.set(`${name}/_home.py`, Buffer.from(written))
  const metadata = [
    ...['Metadata-Version: 2.1', `Name: ${distribution}`, `Version: ${version}`, 'Requires-Python: >=3.9'],
    ...[`Summary: Collect and pay out by mobile money through ${brand_name}`, 'License: Apache-2.0'],
    `Home-page: ${origin}/sdk`,
  ]
  return { name, version, files, metadata, license: await readFile(LICENSE) }
}

const WOOCOMMERCE = new URL('../../sdk/woocommerce/', import.meta.url)

/**
 * Reads the plugin for WooCommerce, and writes the address and the brand of this installation into it. `name` is that of its folder in a shop.
 * @param library the PHP package as one file, which the plugin carries
 */
export async function readWooCommercePlugin(
  { origin, brand_name }: Home,
  { library }: { library: Buffer },
): Promise<PackageFiles> {
  const name = `${packageName(brand_name).replace(/-sdk$/, '')}-woocommerce`
  const files = new Map<string, Buffer>([[`${name}/LICENSE`, await readFile(LICENSE)]])
  for (const path of (await Array.fromAsync(glob('**/*.{php,js}', { cwd: WOOCOMMERCE }))).sort())
    files.set(`${name}/${path}`, await readFile(new URL(path, WOOCOMMERCE)))
  const edit = (path: string, from: string, to: string) => {
    const text = files.get(`${name}/${path}`)!.toString('utf8')
    if (!text.includes(from)) throw new Error(`The plugin for WooCommerce has no place for ${from}.`)
    files.set(`${name}/${path}`, Buffer.from(text.replace(from, () => to)))
  }
  const home = 'includes/home.php'
  const version = /VERSION = '([\d.]+)'/.exec(files.get(`${name}/${home}`)!.toString('utf8'))![1]!
  edit(home, "URL = ''", `URL = ${inPhp(origin)}`)
  edit(home, "BRAND = 'Bandama'", `BRAND = ${inPhp(brand_name)}`)
  // A comment, which WordPress reads: no brand ends it, or begins another line.
  const shown = brand_name.replaceAll(/[*\p{C}\u2028\u2029]/gu, ' ')
  edit('bandama.php', 'Plugin Name: Bandama for', `Plugin Name: ${shown} for`)
  files.set(`${name}/lib/bandama.php`, library)
  return { name, version, files }
}

/** The name under which a Python program imports a package: no name begins with a digit. */
function moduleName(distribution: string): string {
  return distribution.replaceAll('-', '_').replace(/^(?=\d)/, 'sdk_')
}

/** Letters of the country's languages that have no accent to take off. */
const plain: Record<string, string> = { œ: 'oe', æ: 'ae', ɛ: 'e', ɔ: 'o', ɩ: 'i', ʋ: 'u', ɲ: 'ny', ŋ: 'ng' }

/** The name of the package as it lies in the repository, for a brand without a letter too. */
const OWN = 'bandama'

/**
 * The name of a package for a brand: `Société d’Abidjan` becomes `societe-d-abidjan-sdk`. The end keeps a brand apart from a package that a
 * program needs as well: one called Express must not stand in the place of `express`.
 */
export function packageName(brand_name: string): string {
  const letters = brand_name.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '')
  const name = letters.replaceAll(/[œæɛɔɩʋɲŋ]/g, (letter) => plain[letter]!).replaceAll(/[^a-z0-9]+/g, '-')
  const short = name.replaceAll(/^-|-$/g, '')
  return short === '' || short === OWN ? OWN : `${short}-sdk`
}

/** @throws if the build no longer has the place for the address */
function withOrigin(code: string, origin: string): Buffer {
  const written = code.replace(/\burl = (?:''|"");/, () => `url = ${JSON.stringify(origin)};`)
  if (written === code) throw new Error('The build of the SDK has no place for the address of this service.')
  return Buffer.from(written)
}

/** @throws if the sources no longer have the place for the address */
function withOriginInPhp(code: string, origin: string): Buffer {
  const written = code.replace("URL = '';", () => `URL = ${inPhp(origin)};`)
  if (written === code) throw new Error('The SDK for PHP has no place for the address of this service.')
  return Buffer.from(written)
}

/** Writes a text as PHP does. */
export function inPhp(text: string): string {
  return `'${text.replaceAll(/['\\]/g, (sign) => `\\${sign}`)}'`
}

function readMe(brand_name: string, name: string, origin: string): Buffer {
  const lines = [`# ${name}`, '', `The client of ${brand_name}, made by ${origin}. Its guide: ${origin}/sdk`, '']
  return Buffer.from(lines.join('\n'))
}

function jsonOf(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}
