import { writeFile } from 'node:fs/promises'
import type { AnswerExamples } from '../../src/app/answer-examples.ts'

// Answers of a real run as the examples of openapi.json. The ids, times and addresses are replaced by made-up ones, the same for the same run, so
// that a new recording changes only what the service changed.

const FILE = new URL('../../src/app/answer-examples.json', import.meta.url)

const BEGINNING = Date.parse('2026-09-01T10:00:00.000Z')
/** Moments this close to the first are the run itself, and follow one another by seconds; others keep their distance from it, in minutes. */
const RUN_MS = 300_000

/** Writes the answers to the file of examples. @param origin the address of the service that answered */
export async function recordAnswers(answers: AnswerExamples, origin: string): Promise<void> {
  const sorted = Object.entries(answers).toSorted(([one], [other]) => (one < other ? -1 : 1))
  // Each answer begins at the same moment, whatever took how long before it.
  const timed = sorted.map(([operation, given]) => [
    operation,
    Object.fromEntries(
      Object.entries(given).map(([status, body]) => [status, JSON.parse(timeless(JSON.stringify(body)))]),
    ),
  ])
  const text = withoutChance(JSON.stringify(Object.fromEntries(timed)), origin)
  await writeFile(FILE, `${JSON.stringify(JSON.parse(text), null, 2)}\n`)
}

function timeless(text: string): string {
  const moments = [...new Set(text.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g))].toSorted()
  const first = Date.parse(moments[0] ?? '')
  const times = new Map(
    moments.map((moment, rank) => {
      const later = Date.parse(moment) - first
      const shifted = later < RUN_MS ? rank * 1_000 : Math.round(later / 60_000) * 60_000
      return [moment, new Date(BEGINNING + shifted).toISOString()]
    }),
  )
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (moment) => times.get(moment)!)
    .replaceAll(/"\d{4}-\d\d-\d\d"/g, '"2026-09-01"')
}

function withoutChance(text: string, origin: string): string {
  const ids = numbered((prefix, number) => `${prefix}_01k4${number.padStart(22, '0')}`)
  const uuids = numbered((_, number) => `00000000-0000-4000-8000-${number.padStart(12, '0')}`)
  return text
    .replaceAll(/\b([a-z]{2,5})_[0-9a-z]{26}\b/g, (id, prefix: string) => ids(id, prefix))
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uuid) => uuids(uuid, ''))
    .replaceAll(/(\/(?:pay|link)\/)[0-9a-z]{40}/g, `$1${'examp1e0'.repeat(5)}`)
    .replaceAll(origin, 'https://pay.example.com')
}

/** Gives each text the next number, and the same text the same number. */
function numbered(write: (prefix: string, number: string) => string): (text: string, prefix: string) => string {
  const known = new Map<string, string>()
  return (text, prefix) => {
    const found = known.get(text) ?? write(prefix, String(known.size + 1))
    known.set(text, found)
    return found
  }
}

/** The fields of a value, however deep, with those of the first item of each list. Null says nothing of what is there at other times. */
export function shapeOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value === null ? null : 'a value'
  if (Array.isArray(value)) return value.length === 0 ? null : [shapeOf(value[0])]
  // The resource of an event depends on its type, which depends on what happened last.
  const { data, ...rest } = value as { data?: unknown; object?: unknown }
  const shown = rest.object === 'event' || data === undefined ? rest : { ...rest, data }
  return Object.fromEntries(
    Object.entries(shown)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, held]) => [name, shapeOf(held)]),
  )
}

/** Whether two shapes have the same fields wherever both have something. */
export function isSameShape(one: unknown, other: unknown): boolean {
  if (one === null || other === null || one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object') return false
  const names = Object.keys(one)
  if (names.join() !== Object.keys(other).join()) return false
  return names.every((name) => isSameShape(one[name as never], other[name as never]))
}
