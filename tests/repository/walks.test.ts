import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'

// A walk works for a service on another port too: its first command sets the address, and each curl says why it fails.

const folder = new URL('../../docs/walks/', import.meta.url)
const ADDRESS = 'http://127.0.0.1:3000'

for (const name of await readdir(folder)) {
  test(`docs/walks/${name} sets the address in its first command, and its curls tell their errors`, async () => {
    const text = await readFile(new URL(name, folder), 'utf8')
    const commands = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!).join('')
    for (const [, options] of commands.matchAll(/\bcurl (-\S+)/g))
      assert.match(options!, /^-[a-zA-Z]*S/, `curl ${options}`)
    if (!/\bcurl\b/.test(commands)) return
    const [first, ...rest] = commands.split('\n')
    assert.match(first!, new RegExp(`^ADDRESS=${ADDRESS} +# `))
    assert.ok(!rest.join('\n').includes(ADDRESS), 'the address stands in one place')
  })
}
