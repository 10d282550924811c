import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackage } from '../../sdk/typescript/build.ts'
import { readAnswerExamples } from '../../src/app/answer-examples.ts'
import { introduction } from '../../src/app/introduction.ts'
import { apiRoutes } from '../../src/app/routes.ts'
import { screens } from '../../src/app/screens.ts'
import { webhooks } from '../../src/app/webhooks.ts'
import { allCommands } from '../../src/cli/commands.ts'
import { usageOf } from '../../src/cli/options.ts'
import { readConfig } from '../../src/platform/config.ts'
import { openApiDocument } from '../../src/platform/http/openapi.ts'
import { API_VERSION } from '../../src/platform/http/response-headers.ts'
import { createLog } from '../../src/platform/log.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/start.ts'
import { dumpSchema } from '../catalogue/dump-schema.ts'
import { openTestDatabase } from '../harness/database.ts'
import { renderActs } from './derive-acts.ts'
import { renderAsyncResources, renderPythonTypes } from './derive-python.ts'
import { renderRules, renderRuleTests, withRuleIndex } from './derive-rules.ts'
import { filesWithSecretPaths, withSecretPaths } from './derive-secret-paths.ts'
import { renderStates } from './derive-states.ts'
import { renderTypes, type Typed } from './derive-types.ts'
import { stateTables } from './state-tables.ts'

/** A derived file. `path` is relative to the root. */
export type DerivedFile = { readonly path: string; readonly text: string }

/** Returns the correct text of the derived files that need no database. */
export async function deriveFiles(): Promise<DerivedFile[]> {
  const { brand } = readConfig({})
  const document = openApiDocument(apiRoutes, {
    brand,
    version: API_VERSION,
    introduction: introduction(brand, API_VERSION),
    webhooks,
    answers: await readAnswerExamples(),
  })
  return [
    { path: 'openapi.json', text: `${JSON.stringify(document, null, 2)}\n` },
    { path: 'sdk/typescript/src/types.ts', text: renderTypes(document as unknown as Typed) },
    { path: 'sdk/python/bandama/types.py', text: renderPythonTypes(document as unknown as Typed) },
    {
      path: 'sdk/python/bandama/_async_resources.py',
      text: renderAsyncResources(await readCommitted('sdk/python/bandama/_resources.py')),
    },
    { path: 'docs/states.md', text: renderStates(stateTables) },
    { path: 'docs/runbook.md', text: withRuleIndex(await readCommitted('docs/runbook.md')) },
    { path: 'deploy/prometheus/rules.yml', text: renderRules() },
    { path: 'deploy/prometheus/rules-test.yml', text: renderRuleTests() },
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

/** The options that many commands share: the page explains them once, above its table. */
const SHARED_OPTIONS = / \[--(?:as PERSON|code CODE|limit N|after [^\]]+)\]/g

/** Returns the page with the table of commands from their declarations. */
async function writeCommands(page: string): Promise<string> {
  const commands = (await allCommands()).flatMap((group) => group.commands)
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const rows = commands.map((command) => {
    const usage = usageOf(command).replace('bandama ', '').replaceAll(SHARED_OPTIONS, '')
    return `| \`${cell(usage)}\` | ${cell(command.summary)} |`
  })
  if (!COMMANDS.test(page)) throw new Error('docs/commands.md has lost the marks around its table of commands.')
  const table = ['| Command | Effect |', '|---|---|', ...rows].join('\n')
  return page.replace(COMMANDS, (_, begin: string, end: string) => `${begin}${table}\n${end}`)
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
  await buildPackage(fileURLToPath(new URL('../../sdk/typescript/dist', import.meta.url)))
}
