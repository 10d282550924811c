import { type Language, languages, type Words } from '../values/language.ts'

const words = {
  title: ['Toutes les routes', 'All routes'],
  lead: [
    'Écrit depuis [`openapi.json`](/openapi.json), le contrat que le service vérifie à chaque demande. Les descriptions du contrat sont en anglais ; les guides et les erreurs sont en français. Pour essayer une route dans le navigateur : [la page d’essai](/docs/try).',
    'Written from [`openapi.json`](/openapi.json), the contract that the service checks on every request. To try a route in the browser: [the page to try](/docs/try).',
  ],
  scope: ['Droit de la clé :', 'Scope of the key:'],
  any: ['n’importe lequel', 'any'],
  parameters: ['Paramètres', 'Parameters'],
  body: ['Corps', 'Body'],
  answer: ['Réponse', 'Answer'],
  errors: ['Erreurs', 'Errors'],
  field: ['Champ', 'Field'],
  type: ['Type', 'Type'],
  meaning: ['Sens', 'Meaning'],
  required: ['requis', 'required'],
  example: ['Exemple', 'Example'],
  kinds: ['Sortes d’événements', 'Kinds of event'],
  data: ['Contenu de `data`', 'Content of `data`'],
  kind: ['Sorte', 'Kind'],
  when: ['Quand', 'When'],
} as const satisfies Record<string, Words>

type Schema = {
  $ref?: string
  type?: string
  format?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  required?: string[]
  properties?: Record<string, Schema>
  description?: string
}
type Body = { description?: string; content?: { 'application/json'?: { schema?: Schema; example?: unknown } } }
type Parameter = { name?: string; in?: string; required?: boolean; description?: string; schema?: Schema }
type Operation = {
  operationId: string
  summary: string
  description?: string
  tags?: string[]
  'x-scope'?: string
  parameters?: Parameter[]
  requestBody?: Body
  responses: Record<string, Body>
}

/** The parts of the OpenAPI document that the reference shows. */
export type Described = {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema> }
}

export type ListedOperation = Operation & { readonly route: string }

/** The operations of the contract, in its order. */
export function operationsOf({ paths }: Described): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, route: `${method.toUpperCase()} ${path}` })),
  )
}

const sayIn = (language: Language) => (name: keyof typeof words) => words[name][languages.indexOf(language)]!

/** The list of all routes and of all events. */
export function writeReferenceIndex(document: Described, language: Language): string {
  const say = sayIn(language)
  const operations = operationsOf(document)
  const tags = [...new Set(operations.flatMap(({ tags = [] }) => tags))]
  const groups = tags.map((tag) => {
    const rows = operations
      .filter((operation) => operation.tags?.includes(tag))
      .map(({ operationId, route, summary }) => `| [\`${route}\`](/docs/reference/${operationId}) | ${summary} |`)
    return `## ${tag}\n\n| | |\n|---|---|\n${rows.join('\n')}`
  })
  const events = Object.entries(document.webhooks).map(
    ([kind, { post }]) => `| [\`${kind}\`](/docs/reference/${kind}) | ${post.summary} |`,
  )
  return `# ${say('title')}

${say('lead')}

${groups.join('\n\n')}

## ${say('kinds')}

| ${say('kind')} | ${say('when')} |
|---|---|
${events.join('\n')}
`
}

/** The page of one route. */
export function writeOperation(operation: ListedOperation, document: Described, language: Language): string {
  const say = sayIn(language)
  const { summary, description, route, parameters = [], requestBody, responses } = operation
  const json = requestBody?.content?.['application/json']
  const successes = Object.entries(responses).filter(([status]) => status < '300')
  return [
    `# ${summary}`,
    `\`${route}\``,
    description,
    `${say('scope')} \`${operation['x-scope'] ?? say('any')}\``,
    parametersTable(parameters, say),
    json && section(say('body'), fieldsTable(json.schema, document, say)),
    json && requestExample(operation, json.example, say),
    ...successes.map(([status, answer]) => answerSection(status, answer, document, say)),
    errorsList(responses, say),
  ]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n')
}

/** The page of one kind of event. */
export function writeEvent(kind: string, document: Described, language: Language): string {
  const say = sayIn(language)
  const { summary, requestBody } = document.webhooks[kind]!.post
  const schema = resolve(requestBody?.content?.['application/json']?.schema ?? {}, document)
  const data = fieldsTable(schema.properties?.data, document, say)
  return `# \`${kind}\`\n\n${summary}\n\n${section(say('data'), data)}`
}

type Say = ReturnType<typeof sayIn>

const section = (title: string, content: string) => (content === '' ? '' : `## ${title}\n\n${content}`)
const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')

function parametersTable(parameters: readonly Parameter[], say: Say): string {
  const rows = parameters
    .filter(({ name }) => name !== undefined)
    .map(({ name, in: place, required, description = '' }) => {
      const must = required ? `, ${say('required')}` : ''
      return `| \`${name}\` | ${place}${must} | ${cell(description)} |`
    })
  if (rows.length === 0) return ''
  return section(say('parameters'), table([say('field'), say('type'), say('meaning')], rows))
}

const table = (head: readonly string[], rows: readonly string[]) =>
  [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n')

function requestExample({ route, parameters = [] }: ListedOperation, example: unknown, say: Say): string {
  if (example === undefined) return ''
  const [method, path] = route.split(' ')
  const keyed = parameters.some(({ name, required }) => name === 'Idempotency-Key' && required)
  const call = [
    `curl -X ${method} https://pay.example.ci${path} \\`,
    "  -H 'Authorization: Bearer bdm_sk_test_…' \\",
    ...(keyed ? ["  -H 'Idempotency-Key: commande-417' \\"] : []),
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify(example)}'`,
  ]
  return section(say('example'), `\`\`\`sh\n${call.join('\n')}\n\`\`\``)
}

function answerSection(status: string, { description, content }: Body, document: Described, say: Say): string {
  const { schema, example } = content?.['application/json'] ?? {}
  const shown = example === undefined ? '' : `\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``
  return section(`${say('answer')} ${status}`, `${description ?? ''}${shown}\n\n${fieldsTable(schema, document, say)}`)
}

function errorsList(responses: Record<string, Body>, say: Say): string {
  const codes = Object.entries(responses).flatMap(([status, { content }]) => {
    const { error } = content?.['application/json']?.schema?.properties ?? {}
    return (error?.properties?.code?.enum ?? []).map((code) => `| ${status} | [\`${code}\`](/docs/errors/${code}) |`)
  })
  return codes.length === 0 ? '' : section(say('errors'), table(['HTTP', 'Code'], codes))
}

function resolve(schema: Schema, document: Described): Schema {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return resolve(document.components.schemas[name] ?? {}, document)
  if (schema.allOf === undefined) return schema
  const merged = schema.allOf.map((one) => resolve(one, document)).concat({ ...schema, allOf: [] as Schema[] })
  const properties = Object.assign({}, ...merged.map((one) => one.properties ?? {}))
  return { ...schema, properties, required: merged.flatMap((one) => one.required ?? []) }
}

/** How deep a table goes into objects inside objects. */
const DEPTH_MAX = 3

/** Every field of a schema, those of inner objects with the path that leads to them. */
function fieldsTable(schema: Schema | undefined, document: Described, say: Say): string {
  if (schema === undefined) return ''
  const rows = rowsOf(schema, '', 0)
  return rows.length === 0 ? '' : table([say('field'), say('type'), say('meaning')], rows)

  function rowsOf(given: Schema, prefix: string, depth: number): string[] {
    const known = resolve(given, document)
    const inner = known.anyOf?.length ? known.anyOf.map((one) => resolve(one, document)) : [known]
    return inner.flatMap(({ properties = {}, required = [], items }) => {
      if (items !== undefined && depth < DEPTH_MAX) return rowsOf(items, `${prefix}[]`, depth)
      return Object.entries(properties).flatMap(([name, field]) => {
        const path = prefix === '' ? name : `${prefix}.${name}`
        const must = required.includes(name) ? '' : '?'
        const row = `| \`${path}${must}\` | ${cell(typeOf(field, document))} | ${cell(field.description ?? '')} |`
        return [row, ...(depth < DEPTH_MAX - 1 ? rowsOf(field, path, depth + 1) : [])]
      })
    })
  }
}

/** The type of a field in a few words: `text`, `integer`, the values of a closed list. */
function typeOf(schema: Schema, document: Described): string {
  const { type, format, const: only, enum: values, anyOf, items, properties } = resolve(schema, document)
  if (only !== undefined) return `\`${only}\``
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ')
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(one, document)).join(', ')
  if (items !== undefined) return `${typeOf(items, document)}[]`
  return format ?? type ?? (properties === undefined ? '' : 'object')
}
