import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectorTypes } from '../../operators/contracts/connector-types.ts'
import { settingFields } from '../../operators/contracts/setting-fields.ts'
import { settingWords, typeNames } from './setting-words.ts'

test('every setting of every kind of contract is described in French', () => {
  for (const type of connectorTypes) {
    assert.ok(typeNames[type.type] !== undefined, `typeNames of setting-words.ts has no name for ${type.type}`)
    for (const field of settingFields(type)) {
      const [fr, en] = settingWords(type.type, field)
      assert.notEqual(fr, en, `${type.type} ${field.key}`)
    }
  }
})
