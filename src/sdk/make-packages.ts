import { createHash } from 'node:crypto'
import {
  type Home,
  inPhp,
  type PackageFiles,
  readPhpPackage,
  readPythonPackage,
  readTypeScriptPackage,
  readWooCommercePlugin,
} from './package-files.ts'
import type { ServedFile } from './store.ts'
import { writeTar } from './write-tar.ts'
import { writeWheel } from './write-wheel.ts'
import { writeZip } from './write-zip.ts'

/** A package in the list at `/sdk`. */
export type ListedPackage = {
  /**
   * The kind of package: `node` for npm, `js` for programs that import from an address, `php` for Composer, `php-single` for hosts without it,
   * `python` for pip, `bdm` for the command line, one file for Node, `woocommerce` for shops.
   */
  name: 'node' | 'js' | 'php' | 'php-single' | 'python' | 'bdm' | 'woocommerce'
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
  /** The list that Composer reads, as JSON. */
  composer: string
}

/** Makes the packages for this address and this brand. The same sources give the same names and bytes in every process. */
export async function makePackages(home: Home): Promise<Packages> {
  const read = await readTypeScriptPackage(home)
  const php = await readPhpPackage(home)
  const composer = await makeComposer(home, php)
  const single = makeSingle(home, php)
  const python = await makePython(home)
  const command = makeCommand(home, read)
  const woocommerce = await makeWooCommerce(home, single.files[0]!.bytes)
  const made = [await makeNode(home, read), makeModules(home, read), composer, single, python, command, woocommerce]
  return {
    listed: made.map(({ listed }) => listed),
    files: made.flatMap(({ files }) => files),
    version: read.version,
    composer: composer.list,
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

/**
 * The package for Composer, and the list in which Composer finds it. A tar, because Composer opens it by itself: for a zip many machines lack an
 * extension.
 */
async function makeComposer(
  { origin }: Home,
  { name, version, files }: PackageFiles,
): Promise<Made & { list: string }> {
  const bytes = await writeTar(new Map([...files].map(([path, body]) => [`package/${path}`, body])))
  const hash = shortHash([bytes])
  const file = fileOf(`php-${version}-${hash}.tgz`, 'application/gzip', bytes)
  const url = `${origin}/sdk/${file.name}`
  const manifest = JSON.parse(files.get('composer.json')!.toString('utf8')) as object
  const shasum = createHash('sha1').update(bytes).digest('hex')
  const dist = { type: 'tar', url, reference: hash, shasum }
  const list = JSON.stringify({ packages: { [name]: { [version]: { ...manifest, dist } } } })
  const vendor = name.split('/')[0]
  const install = `composer config repositories.${vendor} composer ${origin}/sdk/composer && composer require ${name}`
  return { listed: { name: 'php', package: name, version, url, ...facts(file), install }, files: [file], list }
}

const OPENING = /^<\?php\n\ndeclare\(strict_types=1\);\n\nnamespace (\w+);\n/

/** The same classes as one file, for hosts without Composer. @throws if a source does not begin as all do */
function makeSingle({ origin }: Home, { name, version, files }: PackageFiles): Made {
  const sources = [...files].filter(([path]) => path.startsWith('src/')).map(([, body]) => body.toString('utf8'))
  if (!sources.every((source) => OPENING.test(source))) throw new Error('A source of the SDK for PHP begins otherwise.')
  const opening = OPENING.exec(sources[0]!)![0]
  const body = sources.map((source) => source.replace(OPENING, '')).join('')
  // A program may load it twice. The file of another instance still fails, because its calls would take their keys to this one. In a condition and
  // not after a `return`, because PHP makes classes outside conditions before it runs the first line.
  const is_new = `!class_exists(Bandama::class, false) || Home::URL !== ${inPhp(origin)}`
  const bytes = Buffer.from(`${opening}\nif (${is_new}) {\n${body}\n}\n`)
  const file = fileOf(`php-single-${version}-${shortHash([bytes])}.php`, 'text/plain; charset=utf-8', bytes)
  const url = `${origin}/sdk/${file.name}`
  const install = `curl -fsSo bandama.php ${url}`
  return { listed: { name: 'php-single', package: name, version, url, ...facts(file), install }, files: [file] }
}

/** The wheel for pip. Its file has the name that pip demands, so its folder bears the hash. */
async function makePython(home: Home): Promise<Made> {
  const { name, version, files, ...about } = await readPythonPackage(home)
  const bytes = await writeWheel(files, { name, version, ...about })
  const path = `python-${version}-${shortHash([bytes])}/${name}-${version}-py3-none-any.whl`
  const file = fileOf(path, 'application/zip', bytes)
  const url = `${home.origin}/sdk/${file.name}`
  const listed = { name: 'python', package: name, version, url, ...facts(file), install: `pip install ${url}` } as const
  return { listed, files: [file] }
}

/** The command line, which is also in the package for npm. */
function makeCommand({ origin }: Home, { version, files }: PackageFiles): Made {
  const bytes = files.get('dist/bdm.js')!
  const file = fileOf(`bdm-${version}-${shortHash([bytes])}.mjs`, 'text/javascript; charset=utf-8', bytes)
  const url = `${origin}/sdk/${file.name}`
  const install = `curl -fsSo bdm.mjs ${url} && node bdm.mjs login`
  return { listed: { name: 'bdm', package: 'bdm', version, url, ...facts(file), install }, files: [file] }
}

/** The plugin for WooCommerce, which a shop's people upload as it is. */
async function makeWooCommerce(home: Home, library: Buffer): Promise<Made> {
  const { name, version, files } = await readWooCommercePlugin(home, { library })
  const bytes = await writeZip(files)
  const file = fileOf(`woocommerce-${version}-${shortHash([bytes])}.zip`, 'application/zip', bytes)
  const url = `${home.origin}/sdk/${file.name}`
  const install = `wp plugin install ${url} --activate`
  return { listed: { name: 'woocommerce', package: name, version, url, ...facts(file), install }, files: [file] }
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
