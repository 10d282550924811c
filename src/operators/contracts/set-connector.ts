import { type ActDecision, defineAct, refuse, service } from '../../acts/act.ts'
import type { ActDeps } from '../../acts/perform.ts'
import type { Waits } from '../../acts/proposal.ts'
import { readWaitingProposal } from '../../acts/proposal-store.ts'
import { propose, secondDecides } from '../../acts/propose.ts'
import { isBreakGlass } from '../../values/actor.ts'
import type { Words } from '../../values/language.ts'
import { connectorFacts, connectorFields } from './connector-facts.ts'
import { type ProposedConnector, sealProposal } from './decide-connector.ts'
import { type ConnectorToSet, leadsElsewhere } from './judge-setting.ts'
import type { Surroundings } from './open-connector.ts'
import { changeOf, lookAtSetting, settingContent, unusable, writeConnector } from './write-setting.ts'

/** `warning`: the change is in force, but the person probably wanted something else. */
export type ConnectorSet = Pick<ConnectorToSet, 'name' | 'type' | 'livemode'> & {
  readonly created: boolean
  readonly generation: number
  readonly warning: Words | null
}

export type SettingDeps = {
  readonly surroundings: Surroundings
  /** The settings as a file or a form has them. They may hold secrets, so that they are no value of the act. */
  readonly settings: ConnectorToSet['settings']
  /** SHA-256 of the sealed draft that the person signs in place of its secrets. Null: a file on the host. */
  readonly digest: string | null
}

/**
 * Creates a contract or changes its settings; they are in force within a second in every process. Replaced settings verify callbacks for a
 * day, and an order in doubt that was sent with them is never sent again automatically. A change of terms alone replaces nothing. A name
 * keeps its type and mode for ever, because the journal, routes and the operator know the contract by it. The change restores a removed
 * contract. Settings of a sandbox in live mode are refused, and so is an account that another connector of the mode reaches. In live mode a new
 * contract and one with another address or account wait for a second person, with their settings sealed.
 */
export const setConnector = defineAct({
  name: 'connector.set',
  summary: 'Connect an operator or an aggregator, or change the settings of a connector',
  title: ['Régler un connecteur', 'Set a connector'],
  right: 'connectors.manage',
  fresh: true,
  on: service,
  fields: connectorFields,
  async load(
    tx,
    { by, values: { name, type, mode } },
    { surroundings, settings, digest, clock }: SettingDeps & ActDeps,
  ) {
    const has = await lookAtSetting(tx, surroundings, { name, type, livemode: mode === 'live', settings })
    const { judged, about } = has
    const takes_second = judged.kind === 'judged' && about.livemode && !isBreakGlass(by) && leadsElsewhere(judged)
    const waiting = takes_second ? await readWaitingProposal(tx, about, 'connector.set', name) : null
    const proposal = takes_second ? sealProposal(surroundings, settings, clock.now()) : null
    return { ...has, digest, waiting, proposal }
  },
  facts: connectorFacts,
  content: ({ digest, ...has }) => settingContent(has, digest),
  note: ({ proposal }) => (proposal === null ? null : secondDecides),
  decide(
    { by, values: { name, type } },
    { digest, waiting, proposal, ...has },
    now,
  ): ActDecision<ConnectorSet | Waits, 'unusable' | 'another_waits'> {
    const { about, judged, sealed } = has
    if (judged.kind === 'refused') return refuse('unusable', { problem: judged.problem })
    const change = changeOf(judged)
    if (proposal === null) {
      const { type: known, livemode, created, generation } = sealed!
      const result = { name, type: known, livemode, created, generation, warning: judged.warning }
      return {
        kind: 'accepted',
        effects: [writeConnector({ ...sealed!, by: by.person })],
        result,
        subject: name,
        ...change,
      }
    }
    if (waiting !== null) return refuse('another_waits')
    const asked = { ...about, act: 'connector.set', subject: name, key: name, amount: null } as const
    const typed: ProposedConnector = { name, type }
    const content = settingContent(has, digest)
    return propose(
      by,
      { ...asked, typed, content, settings: proposal },
      { line: 'connector.propose', after: change.after },
      now,
    )
  },
  refusals: {
    unusable,
    another_waits: [
      'Un autre réglage de ce connecteur attend déjà une deuxième personne. Il est décidé d’abord.',
      'Another change of this connector waits for a second person already. It is decided first.',
    ],
  },
})
