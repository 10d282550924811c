/** The effect of a number's last digits on a payment from it and a payout to it in test mode, in Markdown for people. */
export type TestNumber = { ends_with: string; collection: string; payout: string }

/** The scenarios of `scenarios.ts` in words, in the order of their numbers. docs/en/test-mode.md has the same table. */
export const testNumbers: readonly TestNumber[] = [
  { ends_with: 'anything else', collection: 'succeeds after a second', payout: 'succeeds after a second' },
  {
    ends_with: '`0001`',
    collection: 'fails: `payer_insufficient_funds`',
    payout: 'fails: `recipient_limit_reached`',
  },
  { ends_with: '`0002`', collection: 'fails: `payer_declined`', payout: 'fails: `recipient_not_found`' },
  {
    ends_with: '`0003`',
    collection: 'the request lapses: `expired`',
    payout: '`indeterminate` after 15 seconds; succeeds a minute later',
  },
  {
    ends_with: '`0004`',
    collection: 'the answer is lost; asked again, the operator says it succeeded',
    payout: 'the same',
  },
  { ends_with: '`0005`', collection: 'succeeds, and the proof is sent twice', payout: 'the same' },
  {
    ends_with: '`0006`',
    collection: 'a proof for another amount: stays `pending`, for a person to look at',
    payout: 'the answer is lost; asked again, the operator says it failed',
  },
  {
    ends_with: '`0007`',
    collection: 'the payer dials a code (`*144*82#`) to approve; succeeds after five seconds',
    payout: '',
  },
  {
    ends_with: '`0008`',
    collection:
      'the payer types a one-time code on the page: `123456` is right, any other fails with `payer_wrong_code`',
    payout: '',
  },
  {
    ends_with: '`0009`',
    collection: "the payer approves in the operator's app, a page of the simulator (`next_action.url`), and comes back",
    payout: '',
  },
]
