import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { baseStyle } from '../platform/http/pages/base-style.ts'
import { squeezeScript, squeezeStyle } from '../platform/http/pages/squeeze.ts'

type Asset = { readonly name: string; readonly type: string; readonly body: string }

export const styleSheet = nameAsset(
  'console.css',
  'text/css; charset=utf-8',
  squeezeStyle(baseStyle + readText('console.css') + readText('shop.css')),
)
export const script = nameAsset('console.js', 'text/javascript; charset=utf-8', squeezeScript(readText('console.js')))

/** The script of the page of notifications. */
export const pushScript = nameAsset(
  'push.js',
  'text/javascript; charset=utf-8',
  squeezeScript(readText('notices/push.js')),
)
/** The service worker of pushes. Browsers look for a new one at the same address. */
export const pushWorker = squeezeScript(readText('notices/push-worker.js'))

/** The files of pages. Their names change with their content, so that a browser can cache them for ever. */
export const assets: ReadonlyMap<string, Asset> = new Map(
  [styleSheet, script, pushScript].map((asset) => [asset.name, asset]),
)

/** Returns the address of a file. */
export function assetAddress({ name }: Asset): string {
  return `/console/files/${name}`
}

function nameAsset(file: string, type: string, body: string): Asset {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const [name, ending] = file.split('.')
  return { name: `${name}-${hash}.${ending}`, type, body }
}

function readText(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}
