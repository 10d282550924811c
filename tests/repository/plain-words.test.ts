import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sentencesOf } from './prose.ts'
import { readTree, textsOf } from './tree.ts'

/** The exceptions: records of past trials keep the words of their time, and this file has examples. */
const exempt = /^benches\/notebook\/|^tests\/repository\/plain-words\.test\.ts$/

/** The words with which a sentence hides its actor. */
const riddle = /^[*_(]*(?:who|whose|whom|what|whoever|whatever|which)\s[^?]*$/i

const riddlesIn = (file: { path: string; text: string }) =>
  sentencesOf(file)
    .filter(({ text }) => riddle.test(text))
    .map(({ line, text }) => `${file.path}:${line} ${text.slice(0, 100)}`)

test('no sentence opens with who, whose, what, whoever, whatever or which unless it asks', async () => {
  const texts = textsOf(await readTree(), /./).filter(({ path }) => !exempt.test(path))
  const found = texts.flatMap(riddlesIn)
  const hint = 'These sentences open with such a word. Begin with the actor (CONTRIBUTING.md, "Plain words"):'
  assert.equal(found.length, 0, [hint, ...found].join('\n'))
})

const examples: [path: string, text: string, found: number[]][] = [
  ['a.ts', '/** What it is. */', [1]],
  ['a.ts', '/**\n * One. What\n * follows.\n */', [2]],
  ['a.ts', '/**\n * It says\n * what follows.\n * @param what the thing\n */', []],
  ['a.ts', "const a = 'What it is.' // Which one.", [1]],
  ['a.ts', '// Is it? Who knows?\n// Whoever asks.\nconst url = "https://what is this"', [2]],
  ['a.test.ts', "test('what is given back', () => {})\ntest('who calls?', () => {})", [1]],
  ['a.sql', 'select 1 -- Whatever it is.\n-- One thing: what it is.', [1]],
  ['a.sh', '# What runs.\necho "# What"', [1]],
  ['a.md', '# What it does\n\nOne. **What is\nuncertain** stays.\n\n- which it is\n```\nWhat is code.\n```', [1, 3, 6]],
  ['a.md', '| What | One |\n|---|---|\n| one | Who sells; owns |', [3]],
]
for (const [path, text, found] of examples) {
  test(`${JSON.stringify(text)} in ${path} breaks the rule on ${found.length} lines`, () => {
    const lines = riddlesIn({ path, text }).map((one) => Number(/:(\d+) /.exec(one)?.[1]))
    assert.deepEqual(lines, found)
  })
}
