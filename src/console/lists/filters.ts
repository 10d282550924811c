import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Words } from '../../values/language.ts'
import { isDay, momentsOf } from '../../values/period.ts'
import { readFrancs } from '../../values/read-typed.ts'
import { type Say, sayWords } from '../say.ts'

/** The filters of a list as texts, by the names of their fields in the address. Empty: any. */
export type Chosen = Readonly<Record<string, string>>

/** How a person sets a field: by tabs, by a field of the form, or only by a link from another page. */
export type Shown =
  | { readonly kind: 'tabs'; readonly label: Words; readonly all: Words; readonly words: Named; readonly lone?: Lone }
  | { readonly kind: 'choice'; readonly label: Words; readonly all: Words; readonly words: Named }
  /** A resource, among those that the page names. */
  | { readonly kind: 'resource'; readonly label: Words; readonly all: Words }
  | { readonly kind: 'day' | 'text' | 'sum'; readonly label: Words; readonly hint?: Words }
  | { readonly kind: 'link' }

type Named = Readonly<Record<string, Words>>

/** A field that says something about one state only. The tabs of the other states leave it out. */
type Lone = { readonly field: string; readonly state: string }

/** One field of a filter: in the address, on the page, and as an option of the command. */
export type FilterField = {
  readonly name: string
  /** Reads a typed text that is not empty, and returns it as the list takes it. Null: it cannot be read, so it is not applied. */
  readonly read: (typed: string) => string | null
  /** The words of its chip. */
  readonly chip: (say: Say, text: string) => string
  readonly shown: Shown
  /** The help of its option, and the end of its error: `must be …`. */
  readonly option: {
    readonly value?: string
    readonly says: string
    readonly choices?: readonly string[]
    readonly must: string
  }
}

/** A filter: its fields, and its part of the filters that the store takes. */
export type Filter<Part extends object> = {
  readonly fields: readonly FilterField[]
  readonly part: (chosen: Chosen, at: FilteredAt) => Part | Promise<Part>
}

/** Where a filter looks a text up. */
export type FilteredAt = { readonly db: Db; readonly tenant: Tenant }

/** The part of a store's filters that one text stands for. Null: any. */
type PartOf<Text extends string, Part extends object> = (text: Text | null, at: FilteredAt) => Part | Promise<Part>

function filterOf<Text extends string, Part extends object>(
  field: FilterField,
  part: PartOf<Text, Part>,
): Filter<Part> {
  return { fields: [field], part: (chosen, at) => part((chosen[field.name] || null) as Text | null, at) }
}

type Choices<Text extends string, Part extends object> = {
  readonly label: Words
  /** The words for any value. */
  readonly all: Words
  readonly words: Readonly<Record<Text, Words>>
  readonly part: PartOf<Text, Part>
}

type StateChoices<Text extends string, Group extends string, Part extends object> = Omit<
  Choices<Text, Part>,
  'part'
> & {
  /** Groups of states, which an address names like a state. */
  readonly groups?: Readonly<Record<Group, Words>>
  /** The states and groups that have a tab. Absent: each state. */
  readonly tabs?: Named
  readonly lone?: Lone
  readonly part: PartOf<Text | Group, Part>
}

/** The states of the rows, as tabs. */
export function states<Text extends string, Part extends object, Group extends string = never>(
  name: string,
  { label, all, words, groups, tabs = words, lone, part }: StateChoices<Text, Group, Part>,
): Filter<Part> {
  const field = oneOf(name, { ...words, ...groups })
  const shown = { kind: 'tabs', label, all, words: tabs, ...(lone !== undefined && { lone }) } as const
  return filterOf({ ...field, shown }, part)
}

/** One of many values, in the form. */
export function choice<Text extends string, Part extends object>(
  name: string,
  { label, all, words, part }: Choices<Text, Part>,
): Filter<Part> {
  const field = oneOf(name, words)
  return filterOf({ ...field, shown: { kind: 'choice', label, all, words } }, part)
}

function oneOf(name: string, words: Named): Omit<FilterField, 'shown'> {
  return {
    name,
    read: (typed) => (Object.hasOwn(words, typed) ? typed : null),
    chip: (say, text) => sayWords(say, words[text]!),
    option: {
      says: `only those with this ${name}`,
      choices: Object.keys(words),
      must: `must be one of ${Object.keys(words).join(', ')}.`,
    },
  }
}

/** The rows of one resource. @param reads whether a text can be its identifier */
export function ofResource<Part extends object>(
  name: string,
  {
    reads,
    chip,
    offered,
    part,
  }: {
    readonly reads: (typed: string) => boolean
    /** The words of its chip. Absent: the name that the page gives, or the text itself. */
    readonly chip?: Words
    /** The words of its field in the form, for a page that names the resources. Absent: only a link chooses one. */
    readonly offered?: { readonly label: Words; readonly all: Words }
    readonly part: PartOf<string, Part>
  },
): Filter<Part> {
  const field: FilterField = {
    name,
    read: (typed) => (reads(typed) ? typed : null),
    chip: (say, text) => (chip === undefined ? text : sayWords(say, chip)),
    shown: offered === undefined ? { kind: 'link' } : { kind: 'resource', ...offered },
    option: { value: 'ID', says: `only those of this ${name}`, must: 'must be its id.' },
  }
  return filterOf(field, part)
}

/** A typed text. @param read null for a text that cannot be read; absent: any can */
export function text<Part extends object>(
  name: string,
  {
    read = (typed) => typed,
    label,
    hint,
    option,
    part,
  }: {
    readonly read?: (typed: string) => string | null
    readonly label: Words
    readonly hint?: Words
    readonly option: { readonly says: string; readonly must?: string }
    readonly part: PartOf<string, Part>
  },
): Filter<Part> {
  const field: FilterField = {
    name,
    read,
    chip: (_, typed) => typed,
    shown: { kind: 'text', label, ...(hint !== undefined && { hint }) },
    option: { value: 'TEXT', must: 'must not be empty.', ...option },
  }
  return filterOf(field, part)
}

/** A bound of the amounts, in francs. @param chip with the gap `{sum}` */
export function bound<Part extends object>(
  name: string,
  {
    label,
    chip,
    says,
    part,
  }: {
    readonly label: Words
    readonly chip: readonly [`${string}{sum}${string}`, `${string}{sum}${string}`]
    readonly says: string
    readonly part: (francs: number | null) => Part
  },
): Filter<Part> {
  const field: FilterField = {
    name,
    read: (typed) => readFrancs(typed)?.toString() ?? null,
    chip: (say, francs) => say(chip as readonly ['{sum}', '{sum}'], { sum: writeAmount(Number(francs)) }),
    shown: { kind: 'sum', label },
    option: { value: 'FRANCS', says, must: 'must be a whole number of francs.' },
  }
  return filterOf(field, (francs) => part(francs === null ? null : Number(francs)))
}

/** The same filter for a list whose form leaves it out: an address still sets it. */
export function byAddress<Part extends object>({ fields, part }: Filter<Part>): Filter<Part> {
  return { fields: fields.map((field) => ({ ...field, shown: { kind: 'link' } })), part }
}

const DAY_MUST = 'must be a day such as 2026-08-31.'

/** The days on which the rows were made, both included. */
export const days: Filter<ReturnType<typeof momentsOf>> = {
  fields: [
    {
      name: 'from',
      read: readDay,
      chip: (say, day) => say(['depuis le {day}', 'from {day}'], { day }),
      shown: { kind: 'day', label: ['Du', 'From'] },
      option: { value: 'DAY', says: 'the first day, in UTC', must: DAY_MUST },
    },
    {
      name: 'to',
      read: readDay,
      chip: (say, day) => say(['jusqu’au {day}', 'to {day}'], { day }),
      shown: { kind: 'day', label: ['Au', 'To'] },
      option: { value: 'DAY', says: 'the last day', must: DAY_MUST },
    },
  ],
  part: ({ from = '', to = '' }) => momentsOf({ from, to }),
}

function readDay(typed: string): string | null {
  return isDay(typed) ? typed : null
}

/** The most characters of a typed filter. */
const TYPED_MAX = 255

/** Reads fields of filters. One that cannot be read is empty. @param typedIn returns the typed text of a field, or null */
export function choose(fields: readonly FilterField[], typedIn: (name: string) => string | null): Chosen {
  return Object.fromEntries(
    fields.map(({ name, read }) => {
      const typed = (typedIn(name) ?? '').trim().slice(0, TYPED_MAX)
      return [name, typed === '' ? '' : (read(typed) ?? '')]
    }),
  )
}
