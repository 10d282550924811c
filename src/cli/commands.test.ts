import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allCommands, explainUnknown, findCommand } from './commands.ts'
import { COLUMNS, exampleOf, helpOf, helpOfNoun, overview } from './help.ts'
import { optionsOf, readOptions } from './options.ts'

const groups = await allCommands()
const commands = groups.flatMap((group) => group.commands)

test('exactly the listed commands are found by their words', async () => {
  for (const command of commands) assert.equal(await findCommand([...command.name.split(' '), '--json']), command)
  assert.equal(new Set(commands.map(({ name }) => name)).size, commands.length)
  for (const words of [[], ['help'], ['merchant'], ['merchant', 'sell'], ['sell', 'create']]) {
    assert.equal(await findCommand(words), null, words.join(' '))
  }
})

test('every option of every command has a description', () => {
  const silent = commands.flatMap((command) =>
    optionsOf(command)
      .filter(({ says }) => says === '')
      .map(({ name }) => `${command.name} --${name}`),
  )
  assert.deepEqual(silent, [], 'give it words where it is declared, or in optionWords')
})

for (const command of commands) {
  test(`the example of bandama ${command.name} can be typed, and its help fits a terminal`, () => {
    const words = exampleOf(command)
      .split(/ (?=(?:[^']*'[^']*')*[^']*$)/)
      .map((word) => word.replaceAll("'", ''))
    assert.equal(words.slice(1, 1 + command.name.split(' ').length).join(' '), command.name)
    readOptions(command, words.slice(1 + command.name.split(' ').length))
    const wide = helpOf(command)
      .split('\n')
      .filter((line) => line.length > COLUMNS)
    assert.deepEqual(wide, [])
  })
}

test('the overview fits a terminal and names every noun and verb', () => {
  const text = overview(groups)
  assert.deepEqual(
    text.split('\n').filter((line) => line.length > COLUMNS),
    [],
  )
  for (const { name } of commands) for (const word of name.split(' ')) assert.match(text, new RegExp(`\\b${word}\\b`))
  for (const { commands: of } of groups)
    assert.ok(
      helpOfNoun('any', of)
        .split('\n')
        .every((line) => line.length <= COLUMNS),
    )
})

test('a mistyped command is answered with the probable one', async () => {
  const cases: [string, RegExp][] = [
    ['merchnat', /There is no command merchnat\. Did you mean bandama merchant\?/],
    ['merchnat create', /Did you mean bandama merchant create\?/],
    ['merchants create', /Did you mean bandama merchant create\?/],
    ['create merchant', /Did you mean bandama merchant create\?/],
    ['merchant craete', /bandama merchant has no verb craete\. Did you mean bandama merchant create\?/],
    ['merchant', /bandama merchant needs a verb: create, /],
    ['blance', /Did you mean bandama balance\?/],
    ['xyzzy', /^There is no command xyzzy\.$/],
    ['xyzzy plugh', /^There is no command xyzzy\.$/],
    ['merchant xyzzy', /^bandama merchant has no verb xyzzy\.$/],
  ]
  for (const [typed, message] of cases) assert.match(await explainUnknown(typed.split(' ')), message)
})

test('a mistyped option or value is answered with the probable one', async () => {
  const balance = (await findCommand(['balance']))!
  const link = (await findCommand(['link', 'create']))!
  const close = (await findCommand(['link', 'close']))!
  const cases: [Parameters<typeof readOptions>[0], string, RegExp][] = [
    [balance, '--merchnat 1', /^bandama balance has no option --merchnat\. Did you mean --merchant\?\n\nUsage: /],
    [balance, '--merchant 1 --mode tets', /^--mode must be test or live\. Did you mean test\?$/],
    [balance, '--merchant 1 --mode production', /^--mode must be test or live\.$/],
    [balance, '--merchant 1', /^--mode is missing\./],
    [balance, '--merchant --mode test', /^--merchant needs a value: --merchant M\./],
    [balance, '--mode test --merchant', /^--merchant needs a value/],
    [balance, '-m 1', /has no option -m\./],
    [balance, '--merchant 1 --mode test --jsno', /Did you mean --json\?/],
    [balance, '--merchant 1 --mode test --json=yes', /has no option --json\./],
    [link, '--merchant 1 --mode test --amount 1 --reusable=no', /^--reusable takes no value\./],
    [close, 'lnk_1', /Did you mean --id before it\?/],
    [balance, 'merchant 1', /Did you mean --merchant\?/],
  ]
  for (const [command, typed, message] of cases) {
    assert.throws(() => readOptions(command, typed.split(' ')), { name: 'CommandError', exitCode: 2, message }, typed)
  }
})
