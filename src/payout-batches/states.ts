import type { Transition } from '../values/transition.ts'
import type { BatchStatus } from './batch.ts'

/**
 * The transitions of a batch; the database holds the same pairs. `brouillon`: a draft that can be executed. `en_attente_validation`: its
 * total exceeds the cap of 24 hours, and a person decides. `en_cours`: its lines are being sent. `termine`, `termine_avec_erreurs`:
 * every line has an outcome. `annule`: nothing was sent and nothing will be.
 */
export const transitions = [
  { from: 'brouillon', trigger: 'executed', to: 'en_cours', event: null },
  { from: 'brouillon', trigger: 'cap_exceeded_since', to: 'en_attente_validation', event: null },
  { from: 'brouillon', trigger: 'cancelled', to: 'annule', event: null },
  { from: 'en_attente_validation', trigger: 'approved', to: 'brouillon', event: null },
  { from: 'en_attente_validation', trigger: 'refused', to: 'annule', event: null },
  { from: 'en_attente_validation', trigger: 'cancelled', to: 'annule', event: null },
  { from: 'en_cours', trigger: 'all_lines_succeeded', to: 'termine', event: 'payout_batch.finished' },
  { from: 'en_cours', trigger: 'ended_with_errors', to: 'termine_avec_erreurs', event: 'payout_batch.finished' },
] as const satisfies readonly Transition<BatchStatus>[]
