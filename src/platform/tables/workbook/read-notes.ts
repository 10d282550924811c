import { createPauses } from '../../pauses.ts'
import { lineNamed } from './cell-ranges.ts'
import { relationsOf } from './find-parts.ts'
import type { ZipReader } from './read-zip.ts'
import { tagsOf, textIn } from './xml-tags.ts'

/** The most characters of the notes of a line. */
const NOTE_MAX = 200

/** Reads the notes on the cells of a sheet, and the newer comments that people answer, by their lines. */
export async function readNotes(archive: ZipReader, sheet: string): Promise<ReadonlyMap<number, string>> {
  const relations = await relationsOf(archive, sheet)
  const notes = new Map<number, string>()
  // A comment also has a note for older programs, which begins with an explanation. The comment itself comes first.
  for (const [type, element] of [
    ['threadedComment', 'threadedComment'],
    ['comments', 'comment'],
  ] as const) {
    const path = relations?.byType.get(type)
    const part = path === undefined ? null : await archive.read(path)
    if (part?.kind !== 'text') continue
    for await (const [line, text] of notesIn(part.text, element)) {
      const earlier = notes.get(line)
      if (earlier !== undefined && type === 'comments' && /^\[/.test(text)) continue
      notes.set(line, (earlier === undefined ? text : `${earlier} · ${text}`).slice(0, NOTE_MAX))
    }
  }
  return notes
}

async function* notesIn(xml: string, element: string): AsyncGenerator<readonly [line: number, text: string]> {
  const pauses = createPauses()
  let line: number | null = null
  let text = ''
  for (const tag of tagsOf(xml)) {
    if (pauses.isDue()) await pauses.take()
    if (tag.name === element && !tag.closes) {
      line = lineNamed(tag.attribute('ref'))
      text = ''
    } else if ((tag.name === 't' || tag.name === 'text') && tag.closes && text.length < NOTE_MAX) {
      text += textIn(tag.before)
    } else if (tag.name === element && line !== null) {
      const said = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
      // A note that only names its author has no text.
      yield [line, said === '' ? '…' : said]
    }
  }
}
