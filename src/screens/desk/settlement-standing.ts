import { sayRefusal } from '../../console/acts/act-screen.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import type { PersonNames } from '../../people/person-words.ts'
import { moveRefusals } from '../../settlements/move-settlement.ts'
import { paySettlement } from '../../settlements/pay-settlement.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { refuseStanding } from '../../settlements/standing.ts'

export const { words: samePerson } = moveRefusals.same_person

/** Writes the state of a settlement that was decided already. */
export function sayStanding(request: ScreenRequest<'desk'>, settlement: SettlementRow, names: PersonNames): string {
  return sayRefusal(request, paySettlement, refuseStanding(settlement, names))
}
