import { testNumbers } from '../operators/simulator/test-numbers.ts'
import type { Brand } from '../platform/config.ts'

/**
 * The introduction above the routes in `/docs`, in Markdown.
 * @param version the version of the API
 */
export function introduction({ name, header_prefix, key_prefix }: Brand, version: string): string {
  return `${name} collects mobile-money payments in Côte d'Ivoire and sends money out. Every body is JSON.

## Keys

Send your secret key in \`Authorization: Bearer ${key_prefix}_sk_test_…\`. A key belongs to one merchant and selects the mode: \`${key_prefix}_sk_test_…\` for test, \`${key_prefix}_sk_live_…\` for real money. It has one scope: \`collect\` for payments, checkout, statements and balances; \`payout\` for payouts, batches, beneficiaries and settlements. A call that needs the other scope answers 403 \`insufficient_scope\`. Keys are for servers: never ship one in an app or a page.

**To try a route here:** press Authorize and paste a key, then "Try it out" and "Execute". \`npm start\` prints the two test keys of its demo merchant and keeps them in \`.data/demo.json\`. Payouts are paid from the merchant's transfer balance, so deposit money first: \`bin/bandama deposit --merchant 1 --mode test --amount 300000\`.

## Amounts

An amount is a whole number of francs (XOF), written as a JSON integer: \`10000\` is 10 000 francs. \`"10000"\` and \`10000.0\` are refused.

## Test mode

Test keys touch test data only, and no money moves: a simulator answers in place of the operators, with the same states, events and delays. The last digits of the number decide what happens, whatever the operator. Use any ten-digit number before them, such as \`0700000001\`.

| Number ends with | A payment from it | A payout to it |
|---|---|---|
${testNumbers.map(({ ends_with, collection, payout }) => `| ${ends_with} | ${collection} | ${payout} |`).join('\n')}

## Idempotency

Every POST that moves money takes an \`Idempotency-Key\` of 8 to 255 characters. A repeated request with the same key and body gets the first answer and has no other effect, so retry with the same key whenever an answer is lost. The same key with another body answers \`idempotency_key_reused\`; a request that is still running, \`idempotency_in_progress\`. Take a new key for every new operation.

## Errors

\`\`\`
{"error":{"code":"invalid_amount","message":"amount must be a whole number of francs…"}}
\`\`\`

Test the \`code\`: it is stable. The \`message\` is for people and may change. Every answer carries \`${header_prefix}-Request-Id\`, the identifier to quote to support, and \`${header_prefix}-Version: ${version}\`. A 500 is a fault of the service: repeat the request with the same key. A resource of another merchant answers 404. An address that does not take the method answers 405 with \`Allow\`. Above the rate limit of a key or an IP address the answer is 429; wait for the seconds in \`Retry-After\`.

## Webhooks

A 201 means that the request was accepted, not that money has moved. Webhooks report the outcome: the service sends each event by POST to your endpoint. Answer 2xx as soon as you have stored it; anything else is sent again for 72 hours. The same event may arrive twice: ignore an \`id\` that you have seen, and read the state from \`data.status\`. \`bin/bandama listen\` shows events while you develop.

Verify \`${header_prefix}-Signature: t=<seconds>,v1=<hex>\` before you trust an event: \`v1\` is the hex HMAC-SHA256 of \`t\`, a dot and the raw body, keyed with the secret of the endpoint. Refuse a \`t\` that is more than 300 seconds away.
`
}
