import { refuse } from '../../acts/act.ts'
import { defineDecision } from '../../acts/decision.ts'
import { requestedBy } from '../../acts/facts.ts'
import type { ActProposal } from '../../acts/proposal.ts'
import { lockProposal, writeActDecision } from '../../acts/proposal-store.ts'
import { newProposalId } from '../../acts/propose.ts'
import { defineWithdrawal } from '../../acts/withdraw-proposal.ts'
import { connectorFacts } from './connector-facts.ts'
import { type ConnectorToSet, readable } from './judge-setting.ts'
import { cannotOpen, type Surroundings } from './open-connector.ts'
import type { SettingsChange } from './settings-draft.ts'
import { changeOf, type LookedAt, lookAtSetting, settingContent, unusable, writeConnector } from './write-setting.ts'

/** The proposal of a change: the values that it keeps, without the sealed settings. */
export type ProposedConnector = { readonly name: string; readonly type: string }
/** The change in its sealed form. */
type SealedChange = { readonly text: string } | { readonly change: SettingsChange }

const proposalPlace = (id: string) => ({ draft_id: id, session_id: 'proposal' })

/** Seals the settings of a proposal under its new id. */
export function sealProposal({ box }: Surroundings, settings: ConnectorToSet['settings'], now: Date) {
  const id = newProposalId(now)
  const change: SealedChange =
    settings instanceof Uint8Array ? { text: Buffer.from(settings).toString('utf8') } : { change: settings }
  return { id, sealed: box.sealDraft(proposalPlace(id), JSON.stringify(change)) }
}

function openProposal({ box }: Surroundings, { id, sealed }: ActProposal): ConnectorToSet['settings'] {
  const opened = JSON.parse(box.openDraft(proposalPlace(id), sealed!)) as SealedChange
  return 'text' in opened ? Buffer.from(opened.text) : opened.change
}

type ProposalDeps = { readonly surroundings: Surroundings }

/** A second person sets a new contract, or another address or account, or refuses it. */
export const decideConnector = defineDecision({
  names: { approve: 'connector.approve', refuse: 'connector.refuse' },
  id: 'prp',
  noun: 'proposed connector',
  summaries: {
    approve: 'Set a connector that waits for a second person; needs a person other than the proposer',
    refuse: 'Refuse the settings of a connector that wait for a second person; its secrets are deleted',
  },
  title: ['Régler un connecteur', 'Set a connector'],
  right: 'connectors.manage',
  lock: (tx, id) => lockProposal<ProposedConnector>(tx, id, 'connector.set'),
  // A decided proposal has no settings any more, and those of a lost SECRET_KEY can still be refused.
  async load(tx, row: ActProposal<ProposedConnector>, { surroundings }: ProposalDeps): Promise<LookedAt | null> {
    const settings = row.sealed === null ? undefined : readable(() => openProposal(surroundings, row))
    if (settings === undefined) return null
    return lookAtSetting(tx, surroundings, { ...row.typed, livemode: row.livemode, settings })
  },
  facts: { ...connectorFacts, requested_by: requestedBy },
  content({ content: { connector, type, changes }, proposed_by: requested_by, id: proposal }, has) {
    const standing = { connector, type, changes } as Pick<
      ReturnType<typeof settingContent>,
      'connector' | 'type' | 'changes'
    >
    return { ...(has === null ? standing : settingContent(has, null)), requested_by, proposal }
  },
  decided: writeActDecision,
  approve({ proposed_by, content }, has) {
    if (has === null) return refuse('unreadable')
    const { judged, sealed, wanted } = has
    if (judged.kind === 'refused') return refuse('unusable', { problem: judged.problem })
    // A file has every setting, and would bring back a secret that was replaced meanwhile.
    if (judged.generation !== content.generation) return refuse('changed_since')
    const effects = [writeConnector({ ...sealed!, by: proposed_by })]
    return { effects, row: { outcome: wanted.name, sealed: null }, ...changeOf(judged) }
  },
  refused: ({ subject: connector }) => ({ connector }),
  refusals: {
    unusable,
    unreadable: cannotOpen,
    changed_since: {
      words: [
        'Les réglages de ce connecteur ont changé depuis la demande. Refusez-la.',
        'The settings of this connector were changed since they were proposed. Refuse this one.',
      ],
      command: 'The settings of this connector were changed meanwhile. Refuse the proposal.',
    },
  },
})

/** The first person takes settings back that wait for a second one. */
export const withdrawConnector = defineWithdrawal({
  name: 'connector.withdraw',
  of: ['connector.set'],
  noun: 'proposed connector',
  summary: 'Withdraw settings of a connector that one has proposed oneself; their secrets are deleted',
  right: 'connectors.manage',
})
