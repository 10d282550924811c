import type { ProposalRow, Resolution } from '../../anomalies/anomaly.ts'
import { resolutions } from '../../anomalies/anomaly.ts'
import { readAnomaly } from '../../anomalies/find-anomalies.ts'
import { changeOf, type Proposed, validateResolution } from '../../anomalies/validate-resolution.ts'
import { walletOfAnomaly } from '../../anomalies/wallet-of-anomaly.ts'
import { heldIn } from '../../ledger/accounts.ts'
import { adjustment, type Leg, returnedByHand } from '../../ledger/postings.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import { UNMATCHED_MERCHANT_ID } from '../../operators/doubts/anomalies.ts'
import { type AnomalyRow, leftConnector } from '../../operators/doubts/anomaly-store.ts'
import { readAnomaliesAbout } from '../../operators/doubts/doubt-store.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readWholeDoubt, type WholeDoubt } from '../doubt-file.ts'
import { type Around, readAround } from './subject-page.ts'

/** A doubt or an anomaly with all its facts. */
export type CaseFile = Around & {
  readonly id: string
  /** Null for an operation in doubt without an anomaly. */
  readonly anomaly: AnomalyRow | null
  /** The external account that it is about. */
  readonly wallet: string
  /** Null when the reference is unknown. */
  readonly doubt: WholeDoubt | null
  /** The proposals for an anomaly, oldest first. */
  readonly proposals: readonly ProposalRow[]
  /** The open anomaly about an operation in doubt; the decision is made there. */
  readonly decided_at: string | null
  readonly merchant_id: number
  /** The names of merchants that proposals credit, if the anomaly has no merchant. */
  readonly credited: ReadonlyMap<number, string>
  /** The resolutions that fit its current state. */
  readonly fitting: readonly Resolution[]
}

const noAnomaly = { operator: null, opened_at: new Date(0), kind: 'unknown_status', fact: '', evidence: {} } as const

/** Reads the case with this id in one mode. Null when there is none. @param reader the person who opens its page */
export async function readCase(sql: Sql, livemode: boolean, id: string, reader: string): Promise<CaseFile | null> {
  const file = id.startsWith('ano_') ? await readAnomaly(sql, id) : null
  const anomaly = file?.anomaly ?? null
  if (id.startsWith('ano_') && anomaly === null) return null
  const unmatched = anomaly?.merchant_id === UNMATCHED_MERCHANT_ID
  const doubt = unmatched ? null : await readWholeDoubt(sql, anomaly?.subject_id ?? id)
  const about = anomaly ?? doubt?.instruction
  if (about === undefined || about.livemode !== livemode) return null
  const { merchant_id } = about
  const proposals = file?.proposals ?? []
  const credited_ids = proposals.flatMap(({ of_merchant_id }) => (of_merchant_id === null ? [] : [of_merchant_id]))
  const people = proposals.flatMap(({ proposed_by, decided_by }) => [proposed_by, decided_by])
  const subject = doubt?.instruction ?? null
  const [around, credited, others, wallet] = await Promise.all([
    readAround(sql, { merchant_id, livemode, id }, people, reader),
    readMerchantNames(sql, credited_ids),
    anomaly === null ? readAnomaliesAbout(sql, doubt!.instruction, 50) : [],
    walletOfAnomaly(sql, anomaly ?? { ...about, ...noAnomaly }, subject),
  ])
  return {
    ...around,
    ...{ id, anomaly, doubt, wallet, proposals, merchant_id, credited },
    decided_at: others.find(({ closed_at }) => closed_at === null)?.id ?? null,
    fitting: anomaly === null ? [] : fittingOf(anomaly, doubt),
  }
}

/** Returns the resolutions that fit the anomaly, also those that need further fields. */
function fittingOf(anomaly: AnomalyRow, doubt: WholeDoubt | null): readonly Resolution[] {
  const subject = doubt?.instruction ?? null
  return resolutions.filter((resolution) => {
    const proposed = { resolution, amount: null, of_merchant_id: null }
    const elsewhere = resolution === 'as_proven' && leftConnector(anomaly, subject) !== null
    return !elsewhere && validateResolution(anomaly.kind, subject, proposed) !== 'does_not_fit'
  })
}

/** Returns the entries that an approval books, those of the operation's end first, without an operator's charge. Pure. */
export function legsOf(
  { doubt, wallet }: Pick<CaseFile, 'doubt' | 'wallet'>,
  proposed: Pick<Proposed, 'resolution' | 'amount'>,
): readonly Leg[] {
  const { resolution, amount } = proposed
  const subject = doubt?.instruction ?? null
  const change = changeOf(subject, proposed)
  const adjusted = change === 0 ? [] : adjustment({ counterpart: heldIn(wallet), amount: change })
  switch (resolution) {
    case 'as_proven':
      return [...(doubt?.ends.if_succeeded.legs ?? []), ...adjusted]
    case 'as_refused':
      return doubt?.ends.if_failed.legs ?? []
    case 'returned_by_hand':
      return subject === null
        ? []
        : [...(doubt?.open ? doubt.ends.if_failed.legs : []), ...returnedByHand({ wallet, amount: amount! })]
    case 'credit_available':
    case 'debit_available':
      return adjusted
    case 'nothing':
      return []
  }
}

/** Returns the proposal that waits for a second person. */
export function standingOf({ proposals }: Pick<CaseFile, 'proposals'>): ProposalRow | null {
  return proposals.find(({ status }) => status === 'proposed') ?? null
}
