import { createHash } from 'node:crypto'
import { writeZip } from './write-zip.ts'

/**
 * Packs a Python package as a wheel, which pip installs without building. The same files give the same bytes: no time is named.
 * @param about the name of the distribution with `_` for every `-`, its version, and the lines of its METADATA
 */
export async function writeWheel(
  files: ReadonlyMap<string, Buffer>,
  about: { name: string; version: string; metadata: readonly string[]; license: Buffer },
): Promise<Buffer> {
  const folder = `${about.name}-${about.version}.dist-info`
  const all = new Map(files)
  all.set(`${folder}/LICENSE`, about.license)
  all.set(`${folder}/METADATA`, linesOf(about.metadata))
  all.set(
    `${folder}/WHEEL`,
    linesOf(['Wheel-Version: 1.0', 'Generator: bandama', 'Root-Is-Purelib: true', 'Tag: py3-none-any']),
  )
  const record = [...all].map(([path, bytes]) => {
    const hash = createHash('sha256').update(bytes).digest('base64url')
    return `${path},sha256=${hash},${bytes.length}`
  })
  all.set(`${folder}/RECORD`, linesOf([...record, `${folder}/RECORD,,`]))
  return writeZip(all)
}

const linesOf = (lines: readonly string[]) => Buffer.from(`${lines.join('\n')}\n`)
