import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectorTypes } from '../../operators/contracts/connector-types.ts'
import { settingFields } from '../../operators/contracts/setting-fields.ts'
import { settingWords, typeNames } from './setting-words.ts'

test('every setting of every kind of contract has a label in both languages, and is described in French', () => {
  for (const type of connectorTypes) {
    assert.ok(typeNames[type.type] !== undefined, `typeNames of setting-words.ts has no name for ${type.type}`)
    for (const field of settingFields(type)) {
      for (const words of field.label) assert.match(words, /^[A-ZÉ][^_.]{2,40}$/, `${type.type} ${field.key}`)
      assert.notEqual(field.label[0], field.label[1], `${type.type} ${field.key}`)
      const [fr, en] = settingWords(type.type, field)
      assert.notEqual(fr, en, `${type.type} ${field.key}`)
    }
  }
})
