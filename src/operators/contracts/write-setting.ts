import { randomBytes } from 'node:crypto'
import type { RefusalWords } from '../../acts/act.ts'
import { WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import { openWallet } from '../../external-accounts/store.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { base32Bytes } from '../../values/ids.ts'
import { changedIn } from './connector-facts.ts'
import { maskedSettings, replacedSecrets } from './connector-settings.ts'
import * as store from './connector-store.ts'
import type { Terms } from './connector-terms.ts'
import { type ConnectorToSet, type Judged, judge, previewOf, readable } from './judge-setting.ts'
import type { Surroundings } from './open-connector.ts'

type Written = {
  readonly name: string
  readonly type: string
  readonly livemode: boolean
  readonly created: boolean
  readonly renews: boolean
  readonly generation: number
  /** Null: the one before stays. */
  readonly callback_token_sealed: Buffer | null
  readonly settings_sealed: Buffer | null
  readonly terms: Terms | null
  readonly by: string
}

export const writeConnector = defineEffect<Written>('connector', async (tx, written) => {
  for (const { name, type, livemode, created, renews, generation, by, ...values } of written) {
    const { callback_token_sealed, settings_sealed, terms } = values
    if (created) {
      await store.insertConnector(tx, { name, type, livemode, callback_token_sealed: callback_token_sealed!, by })
    } else if (callback_token_sealed !== null) await store.replaceToken(tx, name, callback_token_sealed)
    // Also of one that exists: a command sets it again where its wallet is missing.
    await openWallet(tx, { livemode, connector: name, by })
    if (renews) await store.renewConnector(tx, name, by)
    if (settings_sealed !== null) await store.replaceSettings(tx, { connector: name, generation, settings_sealed })
    if (terms !== null) await store.putTerms(tx, name, terms, by)
  }
})

/** A judged change with its sealed values, for the effect. */
function sealChange({ box }: Surroundings, { name, livemode }: ConnectorToSet, judged: Judged): Omit<Written, 'by'> {
  const { type, row, own, terms, generation, renews, isOtherTerms } = judged
  const created = row === null
  const needsToken = created || readable(() => box.openToken(row)) === undefined
  return {
    ...{ name, type: type.type, livemode, created, renews, generation },
    callback_token_sealed: needsToken ? box.sealToken(name, base32Bytes(randomBytes(20))) : null,
    settings_sealed: created || renews ? box.sealSettings({ connector: name, generation }, own) : null,
    terms: created || isOtherTerms ? terms : null,
  }
}

/** The line of a change in the audit log, with the settings without secrets. */
export function changeOf({ type, row, standing, whole, generation }: Judged) {
  const before = row && {
    ...{ type: row.type, generation: row.generation },
    ...{ settings: maskedSettings(type, standing), removed_at: row.removed_at },
  }
  const after = { type: type.type, generation, settings: maskedSettings(type, whole) }
  return { ...(before && { before }), after }
}

/** The refusal of settings, in the words of their first fault. */
export const unusable = {
  words: ['{problem}', '{problem}'],
} as const satisfies RefusalWords

/** Judges a change, with its content. */
export async function lookAtSetting(tx: Tx, surroundings: Surroundings, wanted: ConnectorToSet) {
  const judged = await judge(tx, surroundings, wanted)
  const about = { merchant_id: WHOLE_SERVICE, livemode: wanted.livemode }
  if (judged.kind === 'refused') return { about, wanted, judged, sealed: null }
  return { about, wanted, judged, sealed: sealChange(surroundings, wanted, judged) }
}

export type LookedAt = Awaited<ReturnType<typeof lookAtSetting>>

/** The content of a change, with masked secrets. @param digest of the sealed draft that has the secrets; null: there is none */
export function settingContent(
  { wanted: { name: connector, type, settings }, judged }: LookedAt,
  digest: string | null,
) {
  if (judged.kind === 'refused') return { connector, type, changes: null }
  const { generation, before, after } = previewOf(judged)
  const typed = settings instanceof Uint8Array ? {} : { drop: settings.drop, typed: Object.keys(settings.put) }
  const changes = [...changedIn(before, after), ...replacedSecrets(judged.type, judged.standing, judged.whole)]
  return { connector, type, changes, generation, before, after, ...typed, digest }
}
