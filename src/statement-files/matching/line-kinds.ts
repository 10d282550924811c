/** Why a line does not agree with our books. One whose order has not ended yet only waits: `order_open`. */
export const lineKinds = [
  'missing_here',
  'order_open',
  'state_differs',
  'amount_differs',
  'party_differs',
  'direction_differs',
  'duplicate',
  'reversed',
  'wrong_day',
  'wrong_account',
  'line_changed',
] as const
export type LineKind = (typeof lineKinds)[number]
