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

/** The reasons why such an approval was not carried out on its day. The first two may pass, so the service tries again. */
export type SoloRefusal = 'insufficient_funds' | 'merchant_inactive' | 'beneficiary_archived'
