import type { Command, OptionKind } from './command.ts'
import { optionsOf, usageOf } from './options.ts'

/** The width in columns that every terminal is assumed to have. */
export const COLUMNS = 100

/** An example that can be typed unchanged: the command with its needed options. */
export function exampleOf({ name, options, example }: Pick<Command, 'name' | 'options' | 'example'>): string {
  const needed = optionsOf({ options }).filter(({ kind }) => kind === 'needed')
  const words = example ?? needed.map((option) => `--${option.name} ${option.sample}`).join(' ')
  return `bandama ${name} ${words}`.trim()
}

/** The words that a line of the help ends with, by the kind of its option. */
const kindWords: Partial<Readonly<Record<OptionKind, string>>> = { needed: ' (needed)', list: ' (can be repeated)' }

/** The full help of one command. */
export function helpOf(command: Command): string {
  const rows = optionsOf(command).map(({ name, kind, value, says, choices }) => {
    const listed = choices === null || value.includes('|') ? '' : `: ${choices.join(', ')}`
    return {
      left: kind === 'flag' ? `--${name}` : `--${name} ${value}`,
      right: `${says}${listed}${kindWords[kind] ?? ''}`,
    }
  })
  const parts = [
    wrap(`${command.summary}.`, 0),
    ...(command.details === undefined ? [] : [wrap(command.details, 0)]),
    `Usage:\n${wrapOptions(usageOf(command))}`,
    `Options:\n${inTwoColumns([...rows, jsonRow])}`,
    `Example:\n${wrapOptions(exampleOf(command))}`,
  ]
  return `${parts.join('\n\n')}\n`
}

const jsonRow = { left: '--json', right: 'the answer as one JSON object on one line' }

/** The help of a noun: its commands. */
export function helpOfNoun(noun: string, commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => ({ left: `bandama ${name}`, right: summary }))
  return `${inTwoColumns(rows)}\n\nbandama help ${noun} <verb> shows the options of one of them.\n`
}

/** All nouns with their verbs, by section. */
export function overview(groups: readonly { title: string; commands: readonly Command[] }[]): string {
  const blocks = groups.map(({ title, commands }) => {
    const rows = [...Map.groupBy(commands, ({ name }) => name.split(' ')[0]!)].map(([noun, of]) => ({
      left: noun,
      right: of.length === 1 && of[0]!.name === noun ? of[0]!.summary : of.map(({ name }) => verbOf(name)).join(', '),
    }))
    return `${title}:\n${inTwoColumns(rows, 14)}`
  })
  return [
    'Usage: bandama <noun> <verb> [options]',
    ...blocks,
    [
      '  bandama help <noun>            what its verbs do',
      '  bandama help <noun> <verb>     its options, with an example; or: bandama <noun> <verb> --help',
      '  bandama --version              which version this is',
    ].join('\n'),
    wrap(
      'With --json every command prints one JSON object on one line. Messages go to standard error. The exit code is 0 on success, ' +
        '1 when the command was refused or failed, 2 when it was mistyped.',
      0,
    ),
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n')
}

function verbOf(name: string): string {
  return name.split(' ').slice(1).join(' ') || name
}

type Row = { left: string; right: string }

function inTwoColumns(rows: readonly Row[], least = 0): string {
  const width = Math.max(least, ...rows.map(({ left }) => left.length))
  return rows
    .map(({ left, right }) => {
      // When the left side is too long, the right side goes below it.
      const [first = '', ...rest] = wrap(right, 0, 0, COLUMNS - width - 4).split('\n')
      return [
        `  ${left.padEnd(width)}  ${first}`.trimEnd(),
        ...rest.map((line) => `${' '.repeat(width + 4)}${line}`),
      ].join('\n')
    })
    .join('\n')
}

/** Wraps a command line, breaking only between options. */
function wrapOptions(line: string): string {
  const kept = line.replaceAll(/ (?!\[?--)/g, '\u00a0')
  return wrap(kept, 2, 4).replaceAll('\u00a0', ' ')
}

/** Wraps a text at spaces. `indent` is for the first line and `hanging` for the others, in columns. */
function wrap(text: string, indent: number, hanging = indent, columns = COLUMNS): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const room = columns - (lines.length === 0 ? indent : hanging)
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  lines.push(line)
  return lines.map((each, at) => `${' '.repeat(at === 0 ? indent : hanging)}${each}`).join('\n')
}

/** The help of a command as JSON. */
export function describe(command: Command): object {
  const options = optionsOf(command).map(({ name, kind, value, says, choices }) => ({
    name,
    kind,
    value,
    says,
    choices,
  }))
  return { name: command.name, summary: command.summary, usage: usageOf(command), example: exampleOf(command), options }
}
