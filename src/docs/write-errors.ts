import { failureMessages } from '../values/failure-codes.ts'
import { type Language, languages, type Words } from '../values/language.ts'
import { clientCodes, type ExplainedCode, errorWords, moneyWords } from './error-words.ts'
import { failureWords } from './failure-words.ts'

const words = {
  title: ['Erreurs', 'Errors'],
  lead: [
    'Chaque refus a la forme `{"error": {"code": "…", "message": "…"}}`. Testez le `code`, qui ne change pas ; le `message` est pour les humains. Un 5xx est une panne du service, jamais une faute de votre demande : renvoyez-la avec la même `Idempotency-Key`. Chaque page dit ce qui s’est passé, si de l’argent a bougé, et quoi faire.',
    'Every refusal has the form `{"error": {"code": "…", "message": "…"}}`. Test the `code`, which is stable; the `message` is for people. A 5xx is a fault of the service, never of your request: send it again with the same `Idempotency-Key`. Each page says what happened, whether money moved, and what to do.',
  ],
  code: ['Code, statut', 'Code, status'],
  meaning: ['Ce qui s’est passé', 'What happened'],
  money: ['De l’argent a-t-il bougé ?', 'Has money moved?'],
  todo: ['Que faire', 'What to do'],
  given_by: ['Routes qui le donnent', 'Routes that give it'],
  any: ['Toutes les routes.', 'Every route.'],
  library: ['La bibliothèque, sans réponse du service.', 'The library, without an answer of the service.'],
  failures: ['Pourquoi un paiement ou un envoi a échoué', 'Why a payment or a payout failed'],
  failures_lead: [
    'Un refus (les codes ci-dessus) répond à votre demande. Un échec vient après : l’opérateur a répondu non. `status` vaut `failed`, `failure_code` dit pourquoi, et c’est définitif : aucun argent n’a bougé, ou il est revenu.',
    'A refusal (the codes above) answers your request. A failure comes later: the operator said no. `status` is `failed`, `failure_code` says why, and it is final: no money moved, or it came back.',
  ],
} as const satisfies Record<string, Words>

/** The codes with their statuses, and the operations that declare them, from the contract. */
export type Declared = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

type Operation = {
  operationId: string
  responses: Record<string, { content?: Record<string, { schema: { properties?: { error?: CodeSchema } } }> }>
}
type CodeSchema = { properties?: { code?: { enum?: string[] } } }
export type Contract = { paths: Record<string, Record<string, Operation>> }

/** Finds which operations give each code, and with which status. */
export function declaredCodes({ paths }: Contract): Declared {
  const codes = new Map<string, Map<string, string[]>>()
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      const listed = answer.content?.['application/json']?.schema.properties?.error?.properties?.code?.enum ?? []
      for (const code of listed) {
        const statuses = codes.get(code) ?? new Map<string, string[]>()
        codes.set(code, statuses.set(status, [...(statuses.get(status) ?? []), operation.operationId]))
      }
    }
  }
  return codes
}

/** Codes that no route gives: of the packages, and of the server before any route. */
const beyondRoutes: ReadonlySet<string> = new Set([...clientCodes, 'method_not_allowed'])

/**
 * The codes with a page, of which without the extensions those of other routes remain.
 * @throws when no route gives a code although all are served: its page would name none
 */
export function explainedCodes(declared: Declared, hasExtensions: boolean): ExplainedCode[] {
  const codes = Object.keys(errorWords) as ExplainedCode[]
  const given = codes.filter((code) => declared.has(code) || beyondRoutes.has(code))
  if (hasExtensions && given.length < codes.length)
    throw new Error(`No route gives the code ${codes.find((code) => !given.includes(code))}, so its page is of no use.`)
  return given
}

/** The page that lists every code, and the reasons of failures. */
export function writeErrorIndex(codes: readonly ExplainedCode[], declared: Declared, language: Language): string {
  const at = languages.indexOf(language)
  const say = (name: keyof typeof words) => words[name][at]!
  const rows = codes
    .map((code) => ({ code, status: statusOf(declared, code), happened: errorWords[code].happened[at]! }))
    .sort((one, other) => rankOf(one).localeCompare(rankOf(other)))
    .map(({ code, status, happened }) => `| [\`${code}\`](/docs/errors/${code}) ${status} | ${happened} |`)
  const failures = Object.keys(failureMessages).map(
    (code) => `| \`${code}\` | ${failureWords[code as keyof typeof failureMessages][at]} |`,
  )
  return `# ${say('title')}

${say('lead')}

| ${say('code')} | ${say('meaning')} |
|---|---|
${rows.join('\n')}

## ${say('failures')}

${say('failures_lead')}

| \`failure_code\` | ${say('todo')} |
|---|---|
${failures.join('\n')}
`
}

/** By status, and those without one last. */
function rankOf({ status, code }: { status: string; code: string }): string {
  return `${status || '9'} ${code}`
}

function statusOf(declared: Declared, code: string): string {
  // The server answers it before any route.
  if (code === 'method_not_allowed') return '405'
  return [...(declared.get(code)?.keys() ?? [])].sort().join(', ')
}

/** The page of one code. */
export function writeError(code: ExplainedCode, declared: Declared, operations: number, language: Language): string {
  const at = languages.indexOf(language)
  const say = (name: keyof typeof words) => words[name][at]!
  const { happened, money, todo } = errorWords[code]
  const status = statusOf(declared, code)
  const routes = [...new Set([...(declared.get(code)?.values() ?? [])].flat())]
  const isEverywhere = routes.length === operations || code === 'method_not_allowed'
  const listed = routes.map((name) => `[\`${name}\`](/docs/reference/${name})`).join(', ')
  return `# \`${code}\`${status === '' ? '' : ` (${status})`}

${happened[at]}

## ${say('money')}

${moneyWords[money][at]}

## ${say('todo')}

${todo[at]}

## ${say('given_by')}

${isEverywhere ? say('any') : listed || say('library')}
`
}
