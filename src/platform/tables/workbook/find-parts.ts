import { createPauses } from '../../pauses.ts'
import type { ZipRead, ZipReader } from './read-zip.ts'
import { isOn, tagsOf } from './xml-tags.ts'

/** The most bytes of the list of sheets, and of that of their files. They have a few thousand, more with many named ranges. */
const LIST_MAX = 524_288
/** The most sheets that are looked up. */
const SHEETS_MAX = 200
/** The most names of other sheets that are kept. */
const NAMED_MAX = 10

/** The parts of a workbook that are read, by their paths in the archive. */
export type WorkbookParts = {
  readonly sheet: { readonly name: string; readonly path: string }
  readonly other_sheets: readonly string[]
  readonly hidden_sheets: readonly string[]
  readonly strings: string
  readonly styles: string
  /** Whether days are counted from 1904, as on the first Macintosh. */
  readonly since_1904: boolean
}

export type PartsFound = { kind: 'found'; parts: WorkbookParts } | { kind: 'refused'; code: 'unreadable' | 'too_large' }

/** The relations of a part: the targets by id, and by the last word of their type. */
type Relations = { readonly byId: ReadonlyMap<string, string>; readonly byType: ReadonlyMap<string, string> }

/**
 * Finds the sheet that a person saw last: the active one, or the first visible one. @param wanted the name of another visible sheet, which a
 * person chose
 */
export async function findParts(archive: ZipReader, wanted: string | null): Promise<PartsFound> {
  const root = await relationsOf(archive, '')
  const path = root?.byType.get('officeDocument') ?? 'xl/workbook.xml'
  const workbook = await archive.read(path, LIST_MAX)
  const listed = await archive.read(relationsPath(path), LIST_MAX)
  if (workbook.kind !== 'text' || listed.kind !== 'text') return { kind: 'refused', code: whyOf(workbook, listed) }
  const relations = await readRelations(listed.text, path)
  const { sheets, active, since_1904 } = await sheetsOf(workbook.text, relations)
  const visible = sheets.filter(({ hidden }) => !hidden)
  const open = sheets[active]
  const sheet =
    visible.find(({ name }) => name === wanted) ?? (open !== undefined && visible.includes(open) ? open : visible[0])
  if (sheet === undefined) return { kind: 'refused', code: 'unreadable' }
  const named = (some: readonly { name: string }[]) => some.slice(0, NAMED_MAX).map(({ name }) => name)
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return {
    kind: 'found',
    parts: {
      sheet,
      other_sheets: named(visible.filter((one) => one !== sheet)),
      hidden_sheets: named(sheets.filter(({ hidden, path }) => hidden && path !== '')),
      strings: relations.byType.get('sharedStrings') ?? `${folder}sharedStrings.xml`,
      styles: relations.byType.get('styles') ?? `${folder}styles.xml`,
      since_1904,
    },
  }
}

export function whyOf(...parts: readonly ZipRead[]): 'unreadable' | 'too_large' {
  return parts.some((part) => part.kind === 'refused' && part.code === 'too_large') ? 'too_large' : 'unreadable'
}

/** Reads the relations of a part. Null when it has none. @param of the path of the part; empty for the archive itself */
export async function relationsOf(archive: ZipReader, of: string): Promise<Relations | null> {
  const read = await archive.read(relationsPath(of), LIST_MAX)
  return read.kind === 'text' ? readRelations(read.text, of) : null
}

function relationsPath(of: string): string {
  const at = of.lastIndexOf('/') + 1
  return `${of.slice(0, at)}_rels/${of.slice(at)}.rels`
}

async function readRelations(xml: string, of: string): Promise<Relations> {
  const pauses = createPauses()
  const [byId, byType] = [new Map<string, string>(), new Map<string, string>()]
  for (const tag of tagsOf(xml)) {
    if (pauses.isDue()) await pauses.take()
    const target = tag.attribute('Target')
    if (tag.name !== 'Relationship' || target === undefined || tag.attribute('TargetMode') === 'External') continue
    const path = pathFrom(of, target)
    byId.set(tag.attribute('Id') ?? '', path)
    const type = (tag.attribute('Type') ?? '').split('/').at(-1)!
    if (type !== '' && !byType.has(type)) byType.set(type, path)
  }
  return { byId, byType }
}

/** Returns the path of a target that is written from the folder of a part. */
function pathFrom(of: string, target: string): string {
  const written = target.replaceAll('\\', '/')
  const steps = written.startsWith('/') ? [] : of.split('/').slice(0, -1)
  for (const step of written.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '.' && step !== '') steps.push(step)
  }
  return steps.join('/')
}

type Sheet = { readonly name: string; readonly path: string; readonly hidden: boolean }

async function sheetsOf(workbook: string, { byId }: Relations) {
  const pauses = createPauses()
  const sheets: Sheet[] = []
  let [active, since_1904, viewed] = [0, false, false]
  for (const tag of tagsOf(workbook)) {
    if (pauses.isDue()) await pauses.take()
    if (tag.name === 'workbookPr' && !tag.closes) since_1904 = isOn(tag, 'date1904')
    if (tag.name === 'workbookView' && !viewed && !tag.closes) {
      viewed = true
      active = Number(tag.attribute('activeTab') ?? 0)
    }
    if (tag.name !== 'sheet' || tag.closes || sheets.length === SHEETS_MAX) continue
    const target = byId.get(tag.attribute('id') ?? '')
    const path = target === undefined || /chartsheets|dialogsheets|macrosheets/i.test(target) ? undefined : target
    // A sheet without cells still counts for the place of the active one.
    const hidden = path === undefined || /hidden/i.test(tag.attribute('state') ?? '')
    sheets.push({ name: (tag.attribute('name') ?? '').slice(0, 100), path: path ?? '', hidden })
  }
  return { sheets, active, since_1904 }
}
