import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTree, textsOf } from './tree.ts'

test('each release says what an administrator must do, and the newest one is that of the package', async () => {
  const tree = await readTree()
  const [changelog] = textsOf(tree, /^CHANGELOG\.md$/)
  const releases = changelog!.text.split(/^## /m).slice(1)
  assert.ok(releases.length > 0)
  for (const release of releases) {
    const name = release.split('\n')[0]!
    assert.match(release, /^### An administrator must\n\n- \S/m, name)
  }
  const versions = releases.map((release) => release.split('\n')[0]!).filter((name) => name !== 'Unreleased')
  const [manifest, lock] = ['package.json', 'package-lock.json'].map((file) => {
    const [found] = textsOf(tree, new RegExp(`^${file.replace('.', '\\.')}$`))
    return JSON.parse(found!.text) as { version: string; packages?: Record<string, { version: string }> }
  })
  const { packages, version } = lock!
  assert.deepEqual([manifest!.version, version, packages!['']!.version], [versions[0], versions[0], versions[0]])
})
