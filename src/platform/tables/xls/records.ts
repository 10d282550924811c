import { TableRefused } from '../table-refused.ts'

/** The records of BIFF8 that we read ([MS-XLS] 2.3). */
export const RECORD = {
  formula: 0x06,
  end: 0x0a,
  since_1904: 0x22,
  password: 0x2f,
  continued: 0x3c,
  sheet: 0x85,
  numbers: 0xbd,
  xf: 0xe0,
  texts: 0xfc,
  text_at: 0xfd,
  number: 0x203,
  text: 0x204,
  truth: 0x205,
  array: 0x221,
  number_short: 0x27e,
  format: 0x41e,
  begin: 0x809,
} as const

export type Record = { readonly type: number; readonly data: Buffer; readonly next: number }

/** Reads the record at an offset. Null at the end of the stream. @throws TableRefused when it is cut */
export function recordAt(stream: Buffer, at: number): Record | null {
  if (at + 4 > stream.length) return null
  const next = at + 4 + stream.readUInt16LE(at + 2)
  if (next > stream.length) throw new TableRefused('damaged')
  return { type: stream.readUInt16LE(at), data: stream.subarray(at + 4, next), next }
}

/** Reads a short number ([MS-XLS] 2.5.122): 30 bits of a float or a whole number, perhaps in hundredths. */
export function shortNumber(data: Buffer, at: number): number {
  const bits = data.readInt32LE(at)
  const float = Buffer.alloc(8)
  float.writeInt32LE(bits & ~3, 4)
  const value = (bits & 2) === 0 ? float.readDoubleLE(0) : bits >> 2
  return (bits & 1) === 0 ? value : value / 100
}

/** Reads a text with its count of characters before it. @param wide the bytes of the count */
export function textAt(data: Buffer, at: number, wide: 1 | 2): string {
  const count = wide === 1 ? data.readUInt8(at) : data.readUInt16LE(at)
  const flags = data.readUInt8(at + wide)
  const from = at + wide + 1 + ((flags & 8) === 0 ? 0 : 2) + ((flags & 4) === 0 ? 0 : 4)
  return (flags & 1) === 0
    ? data.toString('latin1', from, from + count)
    : data.toString('utf16le', from, from + 2 * count)
}

/**
 * Yields the shared texts of a workbook. They run over several records, and a text that is cut begins each further record with a new flag for
 * the width of its characters.
 * @throws RangeError when they are cut short
 */
export function* sharedTexts(parts: readonly Buffer[]): Generator<string> {
  let [nth, at] = [0, 8]
  const fit = (size: number) => {
    while (at >= parts[nth]!.length) nextPart()
    if (at + size > parts[nth]!.length) throw new RangeError('A text is cut.')
  }
  const nextPart = () => {
    nth += 1
    at = 0
    if (nth >= parts.length) throw new RangeError('The shared texts are cut.')
  }
  const take = (size: 1 | 2 | 4) => {
    fit(size)
    at += size
    return parts[nth]!.readUIntLE(at - size, size)
  }
  const skip = (size: number) => {
    for (let left = size; left > 0; ) {
      if (at >= parts[nth]!.length) nextPart()
      const some = Math.min(left, parts[nth]!.length - at)
      at += some
      left -= some
    }
  }
  const count = parts[0]!.readUInt32LE(4)
  for (let done = 0; done < count; done += 1) {
    let left = take(2)
    let flags = take(1)
    const runs = (flags & 8) === 0 ? 0 : take(2)
    const phonetic = (flags & 4) === 0 ? 0 : take(4)
    let text = ''
    while (left > 0) {
      if (at >= parts[nth]!.length) {
        nextPart()
        flags = take(1)
      }
      const size = (flags & 1) + 1
      const some = Math.min(left, Math.floor((parts[nth]!.length - at) / size))
      if (some === 0) throw new RangeError('A character is cut.')
      text += parts[nth]!.toString(size === 1 ? 'latin1' : 'utf16le', at, at + some * size)
      at += some * size
      left -= some
    }
    skip(runs * 4 + phonetic)
    yield text
  }
}
