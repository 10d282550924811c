import type { Home } from '../docs/fill-text.ts'
import type { Config } from '../platform/config.ts'
import { openApiDocument } from '../platform/http/openapi.ts'
import { API_VERSION } from '../platform/http/response-headers.ts'
import type { Sdk } from '../sdk/serve-sdk.ts'
import { readAnswerExamples } from './answer-examples.ts'
import { introduction } from './introduction.ts'
import { servedRoutes } from './routes.ts'
import { webhooks } from './webhooks.ts'

/** The contract of the routes that this instance serves. */
export async function describeApi(config: Config) {
  const { brand } = config
  const about = { brand, introduction: introduction(brand, API_VERSION), webhooks, answers: await readAnswerExamples() }
  return openApiDocument(servedRoutes(config), { ...about, version: API_VERSION })
}

/**
 * The names that the documentation says of this instance.
 * @param sdk the packages, or null where this instance gives out none
 */
export async function homeOf({ brand }: Config, origin: string, sdk: Sdk | null): Promise<Home> {
  const packages = (await sdk?.packages()) ?? null
  const urlOf = (wanted: string) => packages?.listed.find(({ name }) => name === wanted)
  const [node, js, php, python] = [urlOf('node'), urlOf('js'), urlOf('php-single'), urlOf('python')]
  if (!node || !js || !php || !python) return { origin, brand, sdk: null }
  const urls = { node: node.url, js: js.url, php: php.url, python: python.url }
  return { origin, brand, sdk: { package: node.package, module: python.package, ...urls } }
}
