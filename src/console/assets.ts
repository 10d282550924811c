import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { squeezeScript, squeezeStyle } from '../platform/http/pages/squeeze.ts'

type Asset = { readonly name: string; readonly type: string; readonly body: string }

export const styleSheet = readAsset('console.css', 'text/css; charset=utf-8', squeezeStyle)
export const script = readAsset('console.js', 'text/javascript; charset=utf-8', squeezeScript)

/** The files of pages. Their names change with their content, so that a browser can cache them for ever. */
export const assets: ReadonlyMap<string, Asset> = new Map([styleSheet, script].map((asset) => [asset.name, asset]))

/** Returns the address of a file. */
export function assetAddress({ name }: Asset): string {
  return `/console/files/${name}`
}

function readAsset(file: string, type: string, squeeze: (text: string) => string): Asset {
  const body = squeeze(readFileSync(new URL(file, import.meta.url), 'utf8'))
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const [name, ending] = file.split('.')
  return { name: `${name}-${hash}.${ending}`, type, body }
}
