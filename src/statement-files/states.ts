import type { Transition } from '../values/transition.ts'

export type FileStatus = 'proposed' | 'reading' | 'counted' | 'refused' | 'withdrawn'

/** The transitions of a statement file. A typed one begins as `proposed`. */
export const fileTransitions = [
  { from: 'reading', trigger: 'last_chunk_written', to: 'counted', event: null },
  { from: 'reading', trigger: 'given_up', to: 'refused', event: null },
  { from: 'proposed', trigger: 'approved_by_second_person', to: 'counted', event: null },
  { from: 'proposed', trigger: 'refused_by_second_person', to: 'refused', event: null },
  { from: 'proposed', trigger: 'withdrawn_by_first_person', to: 'refused', event: null },
  { from: 'proposed', trigger: 'time_ran_out', to: 'refused', event: null },
  { from: 'counted', trigger: 'withdrawn_by_two_people', to: 'withdrawn', event: null },
] as const satisfies readonly Transition<FileStatus>[]

export type LineState = 'unmatched' | 'matched' | 'grouped' | 'explained' | 'withdrawn'

/** The transitions of a line. Files, orders and decisions that come later may change them until its day is closed. */
export const lineTransitions = [
  { from: 'unmatched', trigger: 'order_found', to: 'matched', event: null },
  { from: 'matched', trigger: 'order_lost', to: 'unmatched', event: null },
  { from: 'unmatched', trigger: 'group_found', to: 'grouped', event: null },
  { from: 'grouped', trigger: 'group_lost', to: 'unmatched', event: null },
  { from: 'unmatched', trigger: 'rule_found', to: 'explained', event: null },
  { from: 'unmatched', trigger: 'booked_by_two_people', to: 'explained', event: null },
  { from: 'explained', trigger: 'rule_lost', to: 'unmatched', event: null },
  { from: 'unmatched', trigger: 'last_file_withdrawn', to: 'withdrawn', event: null },
  { from: 'matched', trigger: 'last_file_withdrawn', to: 'withdrawn', event: null },
  { from: 'grouped', trigger: 'last_file_withdrawn', to: 'withdrawn', event: null },
  { from: 'explained', trigger: 'last_file_withdrawn', to: 'withdrawn', event: null },
] as const satisfies readonly Transition<LineState>[]
