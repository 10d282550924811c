import assert from 'node:assert/strict'
import { newSettler, type Settler } from '../contract/settler.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

/** The desk's list of settlements. */
export const settlementList = `/desk/${mode}/settlements`

/** An installation with a merchant that requests settlements, and three of the staff: Ama and Kofi of finance, Issa of support. */
export type SettlementDesk = {
  readonly installation: Installation
  readonly settler: Settler
  readonly ama: Member
  readonly kofi: Member
  readonly support: Member
  /** Requests a settlement, of that merchant or another, which Ama validates. Returns its id. */
  validated(amount: number, settler?: Settler): Promise<string>
  statusOf(id: string): Promise<string>
}

/** Opens the desk. @param available the merchant's available balance in francs */
export async function openSettlementDesk(options: { available?: number } = {}): Promise<SettlementDesk> {
  const installation = await openInstallation({ own: 'lists the settlements and adjustments of all merchants' })
  const settler = await newSettler(installation, options)
  const ama = await openMember(installation, 'Ama Koné', { staff: ['finance'] })
  const kofi = await openMember(installation, 'Kofi Yao', { staff: ['finance'] })
  const support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
  return {
    ...{ installation, settler, ama, kofi, support },
    async validated(amount, of = settler) {
      const { id } = (await of.request(amount)).json() as { id: string }
      const at = `${settlementList}/${id}`
      const { done } = await ama.confirm(`${at}/validate`, {}, at)
      assert.equal(done.location, `${at}?done=settlement_validated`)
      return id
    },
    statusOf: async (id) => ((await settler.read(id)).json() as { status: string }).status,
  }
}
