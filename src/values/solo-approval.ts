import type { Words } from './language.ts'

/**
 * The ends of an approval by a merchant's only person. `decided`: another person approved or confirmed the subject. `cancelled`: its batch
 * was cancelled. `revoked`: its key was revoked. `refused`: the service could not carry it out, for a permanent reason. `leave_ended`: the
 * staff no longer allow it. `not_alone`: a second person has the right now. `right_lost`: the person lost the right, or has new factors.
 */
export type SoloOutcome =
  | 'carried_out'
  | 'stopped'
  | 'decided'
  | 'rejected'
  | 'expired'
  | 'cancelled'
  | 'revoked'
  | 'refused'
  | 'leave_ended'
  | 'not_alone'
  | 'right_lost'

/** Why a stop stops nothing: the approval was already carried out, or it ended otherwise. */
export const stopRefusals = {
  took_effect: [
    'Trop tard : l’accord a déjà pris effet. Cette page dit où cela en est.',
    'Too late: the approval has already taken effect. This page shows its status.',
  ],
  nothing_waits: [
    'Rien n’est changé : aucun accord n’attendait plus.',
    'Nothing is changed: no approval waited any more.',
  ],
} as const satisfies Readonly<Record<string, Words>>

/** The reasons why such an approval was not carried out on its day. All but the archived beneficiary may pass, so the service tries again. */
export type SoloRefusal = 'insufficient_funds' | 'merchant_inactive' | 'beneficiary_archived' | 'unchecked'
