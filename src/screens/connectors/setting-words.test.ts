import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayIn } from '../../console/say.ts'
import { connectorTypes } from '../../operators/contracts/connector-types.ts'
import { settingFields } from '../../operators/contracts/setting-fields.ts'
import { describedSetting, settingWords, typeNames } from './setting-words.ts'

test('every setting of every type of connector has a label in both languages, and is described in French', () => {
  for (const type of connectorTypes) {
    assert.ok(typeNames[type.type] !== undefined, `typeNames of setting-words.ts has no name for ${type.type}`)
    for (const field of settingFields(type)) {
      for (const words of field.label) assert.match(words, /^[A-ZÉ][^_.]{2,40}$/, `${type.type} ${field.key}`)
      assert.notEqual(field.label[0], field.label[1], `${type.type} ${field.key}`)
      const [fr, en] = settingWords(type.type, field)
      assert.notEqual(fr, en, `${type.type} ${field.key}`)
      for (const words of [fr, en]) assert.ok(words.split('`').length % 2 === 1, `a backtick is left open: ${words}`)
    }
  }
})

test('the page shows the code of a description as code, and no backtick', () => {
  for (const say of [sayIn('fr'), sayIn('en')]) {
    for (const type of connectorTypes) {
      for (const field of settingFields(type)) {
        const described = describedSetting(say, type.type, field).toString()
        assert.doesNotMatch(described, /[`«]/, described)
      }
    }
    const wave = settingFields(connectorTypes.find(({ type }) => type === 'wave')!)
    const mode = describedSetting(say, 'wave', wave.find(({ key }) => key === 'webhook_mode')!)
    assert.match(mode.toString(), /<code>signing_secret<\/code>/)
  }
})
