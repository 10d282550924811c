/**
 * How an approval by a merchant's only person ends. `decided`: another person approved or confirmed it. `cancelled`: its batch was
 * cancelled. `revoked`: its key was revoked. `refused`: it could not be carried out, for a reason that stays. `leave_ended`: the staff allow
 * it no more. `not_alone`: a second person has the right now. `right_lost`: the person has it no more, or came back with new factors.
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

/** Why such an approval was not carried out when its day came. The first two may pass, and the service tries again. */
export type SoloRefusal = 'insufficient_funds' | 'merchant_inactive' | 'beneficiary_archived'
