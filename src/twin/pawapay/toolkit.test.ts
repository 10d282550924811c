import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaults } from './settings.ts'
import { activeConf } from './toolkit.ts'

/** The conditions of a deposit by a provider, as the account states them. */
function depositOf(settings: Partial<typeof defaults>, provider: string) {
  const { body } = activeConf({ settings: { ...defaults, ...settings }, query: new URLSearchParams() })
  const { countries } = body as { countries: { providers: { provider: string; currencies: unknown[] }[] }[] }
  const found = countries[0]!.providers.find((one) => one.provider === provider)!
  const [francs] = found.currencies as { operationTypes: { DEPOSIT: Record<string, unknown> } }[]
  return francs!.operationTypes.DEPOSIT
}

test('the account says whether a prompt comes by itself, and else which code payers dial', () => {
  const pin_prompt = { ...defaults.pin_prompt, ORANGE_CIV: 'MANUAL' } as const
  assert.equal(depositOf({}, 'ORANGE_CIV').pinPrompt, 'AUTOMATIC')
  assert.equal(depositOf({ pin_prompt }, 'MTN_MOMO_CIV').pinPromptInstructions, null)
  assert.equal(depositOf({ pin_prompt }, 'WAVE_CIV').pinPrompt, undefined)
  const { pinPrompt, pinPromptInstructions } = depositOf({ pin_prompt }, 'ORANGE_CIV')
  const { channels } = pinPromptInstructions as { channels: { instructions: { fr: object[] } }[] }
  const template = 'Composez {{shortCode}}'
  const dial = { text: 'Composez #144*82#', template, variables: { shortCode: '#144*82#' } }
  assert.deepEqual([pinPrompt, channels[0]!.instructions.fr[0]], ['MANUAL', dial])
  const revivable = depositOf({ pin_prompt_revivable: true }, 'ORANGE_CIV')
  assert.deepEqual([revivable.pinPrompt, revivable.pinPromptRevivable], ['AUTOMATIC', true])
  assert.deepEqual(revivable.pinPromptInstructions, pinPromptInstructions)
})
