import { documents } from './stages/documents.ts'
import { money } from './stages/money.ts'
import { operators } from './stages/operators.ts'
import { payouts } from './stages/payouts.ts'
import { people } from './stages/people.ts'
import { settling } from './stages/settling.ts'
import { shop } from './stages/shop.ts'
import type { Stage } from './stages/stage.ts'

/** One row for each declared act: how a test makes its subject. `acts.test.ts` walks them all. */
export const stages: readonly Stage[] = [
  ...money,
  ...payouts,
  ...people,
  ...shop,
  ...documents,
  ...settling,
  ...operators,
]
