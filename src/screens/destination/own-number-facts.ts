import { readFirstDestination, whyNotAlone } from '../../beneficiaries/first-destination.ts'
import { readActive, readDesignated } from '../../beneficiaries/store.ts'
import type { Addresses } from '../../checkout/addresses.ts'
import type { Nonces } from '../../checkout/nonces.ts'
import { type NumberProof, readLastProof, readProof } from '../../checkout/number-proofs.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { SettlementRules } from '../../settlements/create-settlement.ts'
import { type Tenant, tenantOf } from '../../values/caller.ts'
import { isIndependentApprover } from '../../values/independent-approver.ts'
import { readSale, type SaleFacts } from '../pay/sale-facts.ts'

export type OwnNumberDeps = {
  readonly sql: Sql
  readonly settlementRules: SettlementRules
  readonly links: { readonly addresses: Addresses }
  readonly sales: { readonly nonces: Nonces }
}

/** The choice of an own number, for an owner who may make it alone. */
export type OwnNumber = {
  readonly form_id: string
  /** The number whose proof this person began within a day. */
  readonly last: NumberProof | null
}

/** The page to which the nonce of the form belongs, of one merchant in one mode. */
export const pageOfOwn = ({ merchant_id, livemode }: Tenant) => `own number ${merchant_id} ${livemode}`

/** Reads whether this person may choose a number of their own. Null when they may not. */
export async function readOwnNumber(
  { sql, sales }: OwnNumberDeps,
  tenant: Tenant,
  person: string,
): Promise<OwnNumber | null> {
  if (whyNotAlone(await readFirstDestination(sql, tenant), person) !== null) return null
  return { form_id: sales.nonces.make(pageOfOwn(tenant)), last: await readLastProof(sql, tenant, person) }
}

/** The proof of a number, and where its payment stands. */
export type ProofFacts = {
  readonly proof: NumberProof
  readonly sale: SaleFacts
  /** Whether settlements go to this number already. */
  readonly chosen: boolean
  readonly cooling_hours: number
}

/** Reads a proof that this person began. Null: there is none. */
export async function readProofFacts(
  { sql, links: { addresses }, settlementRules }: OwnNumberDeps,
  tenant: Tenant,
  { person, session_id }: { person: string; session_id: string },
): Promise<ProofFacts | null> {
  const proof = await readProof(sql, { ...tenant, session_id })
  if (proof === null || isIndependentApprover(proof.person, person)) return null
  const account = { ...tenantOf(tenant), kind: 'settlement', msisdn: proof.msisdn, iban: null } as const
  const [sale, designated, entry] = await Promise.all([
    readSale({ sql, addresses }, tenant, session_id),
    readDesignated(sql, tenant),
    readActive(sql, account),
  ])
  if (sale === null) return null
  const chosen = entry !== null && designated?.id === entry.id
  return { proof, sale, chosen, cooling_hours: settlementRules.destination_cooling_hours }
}
