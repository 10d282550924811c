import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { introduction } from '../../src/app/introduction.ts'
import { apiRoutes } from '../../src/app/routes.ts'
import { screens } from '../../src/app/screens.ts'
import { linkTransitions } from '../../src/checkout/link-states.ts'
import { transitions as ofSessions } from '../../src/checkout/states.ts'
import { allCommands } from '../../src/cli/commands.ts'
import { usageOf } from '../../src/cli/options.ts'
import { transitions as ofPayments } from '../../src/payments/states.ts'
import type { BatchStatus } from '../../src/payout-batches/batch.ts'
import { transitions as ofBatches } from '../../src/payout-batches/states.ts'
import { transitions as ofPayouts } from '../../src/payouts/states.ts'
import { personTransitions } from '../../src/people/states.ts'
import { readConfig } from '../../src/platform/config.ts'
import { openApiDocument } from '../../src/platform/http/openapi.ts'
import { API_VERSION } from '../../src/platform/http/response-headers.ts'
import { createLog } from '../../src/platform/log.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/start.ts'
import { transitions as ofRefunds } from '../../src/refunds/states.ts'
import { transitions as ofSettlements } from '../../src/settlements/states.ts'
import { errorMessages } from '../../src/values/error-codes.ts'
import { failureMessages } from '../../src/values/failure-codes.ts'
import { dumpSchema } from '../catalogue/dump-schema.ts'
import { openTestDatabase } from '../harness/database.ts'
import { renderActs } from './derive-acts.ts'
import { type Described, renderErrors } from './derive-errors.ts'
import { filesWithSecretPaths, withSecretPaths } from './derive-secret-paths.ts'
import { renderStates } from './derive-states.ts'

/** A derived file. `path` is relative to the root. */
export type DerivedFile = { readonly path: string; readonly text: string }

/** Returns the correct text of the derived files that need no database. */
export async function deriveFiles(): Promise<DerivedFile[]> {
  const { brand } = readConfig({})
  const document = openApiDocument(apiRoutes, {
    brand,
    version: API_VERSION,
    introduction: introduction(brand, API_VERSION),
  })
  const errors = { document: document as Described, messages: errorMessages, failures: failureMessages }
  return [
    { path: 'openapi.json', text: `${JSON.stringify(document, null, 2)}\n` },
    { path: 'docs/errors.md', text: renderErrors(errors) },
    { path: 'docs/states.md', text: stateTables() },
    {
      path: 'docs/acts.md',
      text: renderActs(
        screens,
        (await allCommands()).flatMap(({ commands }) => commands),
      ),
    },
    {
      path: 'docs/commands.md',
      text: await writeCommands(await readCommitted('docs/commands.md')),
    },
    ...(await Promise.all(
      filesWithSecretPaths.map(async (path) => ({ path, text: withSecretPaths(path, await readCommitted(path)) })),
    )),
  ]
}

function readCommitted(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
}

const COMMANDS = /(<!-- commands[^>]*-->\n)[\s\S]*?(<!-- end of commands -->)/

/** Returns the page with the table of commands from their declarations. */
async function writeCommands(page: string): Promise<string> {
  const commands = (await allCommands()).flatMap((group) => group.commands)
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const rows = commands.map((command) => {
    const usage = usageOf(command).replace('bandama ', '')
    return `| \`${cell(usage)}\` | ${cell(command.summary)} |`
  })
  if (!COMMANDS.test(page)) throw new Error('docs/commands.md has lost the marks around its table of commands.')
  const table = ['| Command | Effect |', '|---|---|', ...rows].join('\n')
  return page.replace(COMMANDS, (_, begin: string, end: string) => `${begin}${table}\n${end}`)
}

function stateTables(): string {
  return renderStates([
    {
      title: 'Payment',
      source: '../src/payments/states.ts',
      text: 'An accepted request creates a payment as `created`. While its outcome is uncertain it stays `pending`.',
      initial: ['created'],
      transitions: ofPayments,
    },
    {
      title: 'Payout',
      source: '../src/payouts/states.ts',
      text:
        'An accepted request creates a payout as `created` and debits its money. Without a final answer from the operator it becomes ' +
        '`indeterminate`, until the operator answers or two people conclude it.',
      initial: ['created'],
      transitions: ofPayouts,
    },
    {
      title: 'Payout batch',
      source: '../src/payout-batches/states.ts',
      text:
        'A batch is created as `brouillon`, or above the cap of 24 hours as `en_attente_validation`. The names are French, as in the ' +
        'existing interface.',
      initial: ['brouillon', 'en_attente_validation'],
      transitions: ofBatches,
      gloss: batchGloss,
    },
    {
      title: 'Checkout session',
      source: '../src/checkout/states.ts',
      text:
        'A session is created as `open`. It neither expires nor is closed while an attempt is in progress; a later confirmation of an ' +
        'attempt still pays it.',
      initial: ['open'],
      transitions: ofSessions,
    },
    {
      title: 'Payment link',
      source: '../src/checkout/link-states.ts',
      text: 'A link is created as `open`. Expiry is computed from its time, not stored; a reusable link is never `paid`.',
      initial: ['open'],
      transitions: linkTransitions,
    },
    {
      title: 'Settlement',
      source: '../src/settlements/states.ts',
      text:
        'A settlement is created as `pending_validation`, and its amount is debited. Staff make each transition; one ' +
        'person validates it and another records the transfer.',
      initial: ['pending_validation'],
      transitions: ofSettlements,
    },
    {
      title: 'Refund',
      source: '../src/refunds/states.ts',
      text:
        'A refund is debited at once. It is `requested` if the operator can refund, otherwise `manual`: a person refunds by hand. ' +
        'When it succeeds, the merchant gets an event of the payment.',
      initial: ['requested', 'manual'],
      transitions: ofRefunds,
    },
    {
      title: 'Person',
      source: '../src/people/states.ts',
      text:
        'A person is created as `invited`, and can sign in after opening the link and setting their factors. A disabled person has ' +
        'no roles.',
      initial: ['invited'],
      transitions: personTransitions,
    },
  ])
}

const batchGloss: Record<BatchStatus, string> = {
  brouillon: 'draft: it has sent nothing, and can be executed or cancelled',
  en_attente_validation: 'waiting for approval: its total exceeds the cap of 24 hours',
  en_cours: 'in progress: lines are being sent',
  termine: 'finished, every line succeeded',
  termine_avec_erreurs: 'finished, at least one line failed or is indeterminate',
  annule: 'cancelled: it has sent nothing and never will',
}

/** Reads the schema that the migrations make, from a temporary PostgreSQL 18. */
async function deriveSchema(): Promise<DerivedFile> {
  const folder = await mkdtemp(join(tmpdir(), 'bandama-derive-'))
  // If root runs this, the server's account must have access to the folder.
  await chmod(folder, 0o711)
  const server = await startEmbeddedPostgres({ dataDir: folder, log: createLog('warn', 'derive'), own: true })
  try {
    process.env.TEST_DATABASE_URL = server.url.reveal()
    await using db = await openTestDatabase()
    return { path: 'migrations/schema.sql', text: await dumpSchema(db.sql) }
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  for (const { path, text } of [...(await deriveFiles()), await deriveSchema()]) {
    await writeFile(new URL(`../../${path}`, import.meta.url), text)
  }
}
