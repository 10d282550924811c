/** The effect of a number's last digits on a payment from it and a payout to it in test mode, in Markdown for people. */
export type TestNumber = { ends_with: string; collection: string; payout: string }

/** The scenarios of `scenarios.ts` in words, in the order of their numbers. docs/en/test-mode.md has the same table. */
export const testNumbers: readonly TestNumber[] = [
  { ends_with: 'anything else', collection: 'succeeds after a second', payout: 'succeeds after a second' },
  { ends_with: '`0001`', collection: 'fails: `payer_insufficient_funds`', payout: 'fails: `recipient_limit_reached`' },
  { ends_with: '`0002`', collection: 'fails: `payer_declined`', payout: 'fails: `recipient_not_found`' },
  {
    ends_with: '`0003`',
    collection: 'the request lapses: `expired`',
    payout: 'the operator is silent: `indeterminate` after 15 seconds, `succeeded` a minute later',
  },
  {
    ends_with: '`0004`',
    collection: 'the answer is lost; asked again, the operator says it succeeded',
    payout: 'the same',
  },
  { ends_with: '`0005`', collection: 'succeeds, and the proof arrives twice', payout: 'the same' },
  {
    ends_with: '`0006`',
    collection: 'confirmed for another amount: stays `pending`, for the staff to examine',
    payout: 'the answer is lost; asked again, the operator says it failed (`operator_refused`)',
  },
  {
    ends_with: '`0007`',
    collection: 'the payer dials `*144*82#` (`dial_code` in `next_action`); succeeds after five seconds',
    payout: 'succeeds',
  },
  {
    ends_with: '`0008`',
    collection:
      'the payer types a one-time code: `123456` is right, any other `payer_wrong_code`; lapses after five minutes',
    payout: 'succeeds',
  },
  {
    ends_with: '`0009`',
    collection:
      "the payer approves in the operator's app: `url` in `next_action` is a page of the simulator; lapses after five minutes",
    payout: 'succeeds',
  },
]
