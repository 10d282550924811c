import assert from 'node:assert/strict'
import { test } from 'node:test'
import { templateFaults } from './template-faults.ts'
import { readTree, textsOf } from './tree.ts'

const code = textsOf(await readTree(), /^src\/.*\.ts$/)

test('no line of a page or of a statement has more than 140 signs, and no ternary of a template is inside another', () => {
  const wrong = code.flatMap(({ path, text }) => templateFaults(text).map((line) => `${path}:${line}`))
  assert.deepEqual(wrong, [], 'name a part of the page, or make a function with early returns')
})

const long = 'x'.repeat(120)

test('long lines and nested ternaries are found, and nothing else', () => {
  const lines: [code: string, faults: number[]][] = [
    [`const a = html\`<p>\${say(['${long}', '${long}'])}</p>\``, [1]],
    [`const a = say(['${long}', '${long}'])\nconst b = html\`<p>\${a}</p>\``, []],
    [`const a = \`${long}${long} \${n}\``, []],
    [`const a = html\`<div>\n\${b}<p>${long}${long}</p>\n</div>\``, [2]],
    [`tx\`\n  select a\n    from b\n   where '${long}' = '${long}'\``, [4]],
    [`const a = html\`\${b ? c : d ? e : f}\``, [1]],
    [`const a = html\`\${b ? html\`<p>\${c ? d : e}</p>\` : f}\``, [1]],
    [`const a = html\`\${b ? c : d}\${e ? f : g}\${[h ? i : j, k ? l : m]}\``, []],
    [`const a = html\`\${b?.c ?? d}\${(e?: string) => e}\``, []],
    [`const a = b ? html\`\${c ? d : e}\` : f ? g : h`, []],
    [`const a = /[\`'"]/.test(b) // it's \`\${\nconst c = html\`\${d ? e : f ? g : h}\``, [2]],
  ]
  for (const [text, faults] of lines) assert.deepEqual(templateFaults(text), faults, text)
})
