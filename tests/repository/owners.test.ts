import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTree, textsOf, withoutComments } from './tree.ts'

/**
 * The owner of each table, and its views for others. Only the owner names a table in SQL. Others call one of its functions. If the layers
 * forbid that, or if one statement reads rows of several owners, they name a view.
 */
const owners: Record<string, { tables: readonly string[]; views?: readonly string[] }> = {
  acts: { tables: ['act_proposals', 'person_ties'] },
  adjustments: { tables: ['adjustments'], views: ['approved_adjustments'] },
  anomalies: { tables: ['anomaly_proposals'], views: ['credited_anomalies'] },
  'api-keys': { tables: ['api_keys', 'api_key_lookup'] },
  'app/audit-runs': { tables: ['audit_runs'] },
  'app/backups': { tables: ['backup_refusals', 'backup_runs', 'restore_drills'] },
  'app/incidents': { tables: ['incidents'] },
  'app/rules': { tables: ['rule_states', 'service_processes', 'status_figures'] },
  'app/secret-key': { tables: ['secret_key_check'] },
  'audit-log': { tables: ['audit_log', 'audit_chain'] },
  'batch-files': { tables: ['batch_drafts', 'batch_file_columns', 'drafted_batches'] },
  beneficiaries: { tables: ['beneficiaries', 'book_sizes', 'destination_proposals'] },
  cases: { tables: ['case_owners'] },
  checkout: {
    tables: [
      'checkout_sessions',
      'checkout_session_transitions_log',
      'checkout_session_transitions',
      'checkout_tokens',
      'payment_links',
      'till_people',
      'till_phones',
      'payment_link_transitions',
      'number_proofs',
    ],
  },
  'external-accounts': { tables: ['calendar_days', 'external_accounts'] },
  ledger: {
    tables: ['accounts', 'ledger_entries', 'ledger_transactions', 'transfer_fillings'],
    views: ['account_entries'],
  },
  listings: { tables: ['daily_figures', 'listed_operations', 'listing_progress'] },
  'merchant-files': { tables: ['merchant_document_bytes', 'merchant_documents', 'merchant_files', 'merchant_owners'] },
  merchants: {
    tables: ['merchants', 'fee_schedules'],
    views: ['merchant_modes', 'merchant_names', 'merchant_standing'],
  },
  operators: {
    tables: [
      'anomalies',
      'code_submissions',
      'instructions',
      'number_operators',
      'operator_answers',
      'operator_callbacks',
      'operator_references',
      'operator_weather',
      'recipient_checks',
      'order_reference_key',
      'sends',
      'simulator_orders',
      'collection_outbox',
      'connectors',
      'connector_circuits',
      'connector_drafts',
      'connector_settings',
      'connector_movements',
      'connector_balances',
      'routes',
    ],
    views: [
      'instruction_progress',
      'operators_of_orders',
      'quoted_references',
      'reported_anomalies',
      'submitted_codes',
    ],
  },
  people: {
    tables: [
      'invitations',
      'muted_notices',
      'notice_mails',
      'notice_settings',
      'push_devices',
      'push_key',
      'person_passkeys',
      'person_passwords',
      'person_roles',
      'person_totp',
      'persons',
      'recovery_codes',
      'person_sessions',
      'sign_in_attempts',
      'step_ups',
      'staff_visits',
      'wrong_passwords',
    ],
  },
  payments: {
    tables: ['payments', 'payment_transitions_log', 'payment_transitions', 'told_payments', 'unchecked_payments'],
    views: ['payment_listing', 'shown_payments'],
  },
  'payout-batches': {
    tables: ['payout_batches', 'payout_batch_lines', 'payout_batch_transitions'],
    views: ['batch_listing', 'executable_batches'],
  },
  payouts: {
    tables: [
      'payouts',
      'payout_transitions_log',
      'payout_transitions',
      'payout_requests',
      'payout_caps',
      'cap_proposals',
      'payout_stops',
      'payout_cap_usage',
      'payout_cap_totals',
      'single_person_terms',
      'solo_approvals',
    ],
    views: ['payout_listing', 'stops_in_force'],
  },
  'platform/commands': { tables: ['idempotency_keys'] },
  'platform/postgres': { tables: ['schema_migrations'] },
  'platform/queue': { tables: ['jobs'] },
  refunds: {
    tables: ['refunds', 'refund_requests', 'refund_transitions_log', 'refund_transitions'],
    views: ['operators_of_refunds', 'refund_listing', 'refunded_payments', 'refunds_to_conclude'],
  },
  reconciliation: { tables: ['account_openings', 'deposit_lines', 'differences'] },
  'request-log': { tables: ['request_log'] },
  sdk: { tables: ['served_files'] },
  settlements: {
    tables: [
      ...['settlements', 'settlement_floors', 'settlement_schedules'],
      ...['settlement_transitions_log', 'settlement_transitions'],
    ],
    views: ['settlement_listing'],
  },
  'statement-files': {
    tables: [
      ...['statement_bytes', 'statement_chunks', 'statement_files', 'statement_lines', 'statement_profiles'],
      ...['statement_rows', 'statement_pulls', 'changed_days'],
    ],
    views: ['differing_lines', 'lines_about'],
  },
  webhooks: {
    tables: ['delivery_attempts', 'deliveries', 'endpoints', 'events', 'feed_epochs', 'feed_floors'],
    views: ['event_subjects'],
  },
}

/** The folder that reads every table, because it compares them: `bandama audit`. */
const auditor = /^src\/app\/audit(?:\.ts$|\/)/

/** A folder with the same words as labels of lists: the command line has no SQL. */
const labels = /^src\/cli\//

const files = await readTree()
const code = textsOf(files, /^src\/.*(?<!\.test)\.ts$/).map(({ path, text }) => ({ path, text: withoutComments(text) }))
const schema = files.find(({ path }) => path === 'migrations/schema.sql')!.text!

const tables = [...schema.matchAll(/^create table (\w+) /gm)].map(([, name]) => name!)
const views = [...schema.matchAll(/^create view (\w+) as\n([^;]*);\n?(comment on view)?/gm)].map(
  ([, name, definition, comment]) => ({ name: name!, reads: [...tablesIn(definition!)], explained: !!comment }),
)

const ownerOf = new Map(
  Object.entries(owners).flatMap(([owner, { tables, views = [] }]) =>
    [...tables, ...views].map((name) => [name, owner] as const),
  ),
)

/** Finds the tables and views that an SQL text names. */
function tablesIn(sql: string): Set<string> {
  const named = sql.matchAll(/\b(?:from|join|into|update|using|truncate|table)\s+(?:only\s+)?\(*(\w+)/gi)
  return new Set([...named].map(([, name]) => name!))
}

/** Finds the tables and views that a file names: in a statement, or as an argument of a platform function. The `name` of a list is a label. */
function namedIn({ path, text }: { path: string; text: string }): string[] {
  const passed = labels.test(path) ? [] : [...text.matchAll(/(?<!\[|\bname: )'(\w+)'/g)].map(([, name]) => name!)
  return [...tablesIn(text).union(new Set(passed))].filter((name) => ownerOf.has(name))
}

const uses = code.flatMap((file) => namedIn(file).map((name) => ({ path: file.path, name, owner: ownerOf.get(name)! })))
const isOwn = ({ path, owner }: { path: string; owner: string }) => path.startsWith(`src/${owner}/`)

test('every table and view has an owner', () => {
  const listed = Object.values(owners).flatMap(({ tables, views = [] }) => [...tables, ...views])
  assert.deepEqual(listed.toSorted(), [...tables, ...views.map(({ name }) => name)].sort())
  const folders = Object.keys(owners).filter((owner) => !code.some(({ path }) => path.startsWith(`src/${owner}/`)))
  assert.deepEqual(folders, [])
})

test('only its owner names a table', () => {
  assert.ok(uses.filter(isOwn).length > 60, 'the statements were found')
  const crossings = uses
    .filter((use) => tables.includes(use.name) && !isOwn(use) && !auditor.test(use.path))
    .map(({ path, name, owner }) => `${path} names ${name} of ${owner}`)
  assert.deepEqual(crossings, [])
})

test("a view has readers besides its owner, reads its owner's tables, and has a comment with its purpose", () => {
  for (const { name, reads, explained } of views) {
    const owner = ownerOf.get(name)
    assert.ok(explained, `${name} has no comment`)
    const foreign = reads.filter((read) => tables.includes(read) && ownerOf.get(read) !== owner)
    assert.deepEqual(foreign, [], `${name} of ${owner} reads tables of others`)
    assert.ok(
      uses.some((use) => use.name === name && !isOwn(use)),
      `nobody but ${owner} reads ${name}`,
    )
  }
})
