import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'

// Statements that Citus 14 would refuse, by what its planner says (src/backend/distributed/planner/multi_router_planner.c)
// and not by trial: there is none here. They are what is left to rewrite before the step to Citus, which docs/scaling.md
// describes. The list may only grow shorter: a new statement keeps off it, and what is mended is taken off.

/** How a statement can be such that Citus refuses it on distributed tables. */
const forms = {
  /** An `insert` in a `with`, or behind one: only select, update and delete may stand there. */
  insert_with: (text: string) => /^\s*with\b/.test(text) && /\binsert into\b/.test(text),
  /** A time asked for inside `case` or `coalesce` in an update: not constant, so it may not stand there. */
  time_in_case: (text: string) =>
    /\bupdate\b/.test(text) && /\b(case\b(?:(?!\bend\b)[\s\S])*|coalesce\([^()]*)clock_now\(\)/.test(text),
  /**
   * Rows found by a list of keys without their merchant beside it: asked of every shard, and locked on none. A table that is
   * whole on each machine may be asked so.
   */
  keys_only: (text: string) =>
    !/\bfrom operator_references\b/.test(text) &&
    /json_to_recordset|\bunnest\(/.test(text) &&
    /\b(join|update)\b/.test(text) &&
    !/^\s*insert into/.test(text) &&
    !/merchant_id = \$\{/.test(text),
  /** Locked beside a reference table in one `with`. */
  lock_beside_reference: (text: string) => /\bfor (no key )?update/.test(text) && /\bpayout_stops\b/.test(text),
}

type Form = keyof typeof forms

/** Tables that stay on the coordinator, where everything is allowed. */
const local = /^src\/(platform\/queue\/|operators\/waiting-store)/

async function find(): Promise<Record<string, Partial<Record<Form, number>>>> {
  const found: Record<string, Partial<Record<Form, number>>> = {}
  const files = (await readdir('src', { recursive: true })).filter((name) => /store\.ts$|idempotency\.ts$/.test(name))
  for (const name of files.sort()) {
    const file = `src/${name}`
    if (local.test(file)) continue
    // Names of columns are templates within the template of a statement.
    const source = (await readFile(file, 'utf8')).replaceAll(/`\w+\.\$\{column\}`/g, 'column')
    for (const [, text = ''] of source.matchAll(/`((?:[^`\\]|\\.)*)`/g)) {
      for (const form of Object.keys(forms) as Form[]) {
        if (!forms[form](text)) continue
        const counts = found[file] ?? {}
        found[file] = { ...counts, [form]: (counts[form] ?? 0) + 1 }
      }
    }
  }
  return found
}

const known: Record<string, Partial<Record<Form, number>>> = {
  'src/api-keys/store.ts': {
    insert_with: 1,
    keys_only: 1,
    time_in_case: 1,
  },
  'src/beneficiaries/store.ts': {
    insert_with: 1,
    keys_only: 3,
    time_in_case: 2,
  },
  'src/checkout/link-store.ts': {
    insert_with: 1,
    keys_only: 2,
    time_in_case: 1,
  },
  'src/checkout/store.ts': {
    insert_with: 2,
    keys_only: 4,
    time_in_case: 1,
  },
  'src/ledger/store.ts': {
    keys_only: 2,
  },
  'src/merchants/store.ts': {
    insert_with: 1,
  },
  'src/operators/simulator/store.ts': {
    keys_only: 1,
  },
  'src/operators/store.ts': {
    insert_with: 1,
    keys_only: 5,
    lock_beside_reference: 1,
    time_in_case: 1,
  },
  'src/payments/store.ts': {
    insert_with: 1,
    keys_only: 3,
    time_in_case: 1,
  },
  'src/payout-batches/store.ts': {
    keys_only: 1,
    time_in_case: 1,
  },
  'src/payouts/store.ts': {
    insert_with: 1,
    keys_only: 4,
  },
  'src/platform/http/idempotency.ts': {
    keys_only: 1,
  },
  'src/refunds/store.ts': {
    insert_with: 1,
    keys_only: 2,
    time_in_case: 1,
  },
  'src/settlements/store.ts': {
    insert_with: 1,
    keys_only: 1,
    time_in_case: 1,
  },
  'src/webhooks/attempt-store.ts': {
    insert_with: 1,
    keys_only: 3,
    time_in_case: 2,
  },
  'src/webhooks/store.ts': {
    keys_only: 1,
    time_in_case: 2,
  },
}

test('no statement joins those that Citus would refuse', async () => {
  const more = Object.entries(await find()).flatMap(([file, counts]) =>
    Object.entries(counts)
      .filter(([form, count]) => count > (known[file]?.[form as Form] ?? 0))
      .map(([form, count]) => `${file}: ${form} ${count}, was ${known[file]?.[form as Form] ?? 0}`),
  )
  assert.deepEqual(more, [])
})
