import type { Command } from './command.ts'
import { optionsOf, usageOf } from './options.ts'

/** Columns that a terminal has at least. */
export const COLUMNS = 100

/** A line that can be typed as it stands: the command with what it needs. */
export function exampleOf({ name, options, example }: Pick<Command, 'name' | 'options' | 'example'>): string {
  const needed = optionsOf({ options }).filter(({ kind }) => kind === 'needed')
  const words = example ?? needed.map((option) => `--${option.name} ${option.sample}`).join(' ')
  return `bandama ${name} ${words}`.trim()
}

/** All there is to know of one command. */
export function helpOf(command: Command): string {
  const rows = optionsOf(command).map(({ name, kind, value, says, choices }) => ({
    left: kind === 'flag' ? `--${name}` : `--${name} ${value}`,
    right: `${says}${choices === null || value.includes('|') ? '' : `: ${choices.join(', ')}`}${kind === 'needed' ? ' (needed)' : kind === 'list' ? ' (can be repeated)' : ''}`,
  }))
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

/** The commands that begin with one word. */
export function helpOfNoun(noun: string, commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => ({ left: `bandama ${name}`, right: summary }))
  return `${inTwoColumns(rows)}\n\nbandama help ${noun} <verb> says all about one of them.\n`
}

/** Every noun with its verbs, under the titles of what they are for. */
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
      'Every command takes --json and then prints one JSON object on one line. Messages go to standard error; the exit code is ' +
        '0, 1 when it was refused or failed, 2 when it was mistyped.',
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
      // A right side without room beside a long left one goes below it.
      const [first = '', ...rest] = wrap(right, 0, 0, COLUMNS - width - 4).split('\n')
      return [
        `  ${left.padEnd(width)}  ${first}`.trimEnd(),
        ...rest.map((line) => `${' '.repeat(width + 4)}${line}`),
      ].join('\n')
    })
    .join('\n')
}

/** A line of a command, broken between options only. */
function wrapOptions(line: string): string {
  const kept = line.replaceAll(/ (?!\[?--)/g, '\u00a0')
  return wrap(kept, 2, 4).replaceAll('\u00a0', ' ')
}

/** Breaks a text at spaces; its first line is indented by so many columns, the others by another number. */
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

/** The same for a program. */
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
