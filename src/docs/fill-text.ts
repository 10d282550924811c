import type { Brand } from '../platform/config.ts'

/** The names of this instance, which samples and guides show in place of their example. */
export type Home = {
  readonly origin: string
  readonly brand: Pick<Brand, 'name' | 'header_prefix' | 'legacy_header_prefix' | 'key_prefix'>
  /** The packages at `/sdk`. Null: this instance gives out none. */
  readonly sdk: {
    readonly package: string
    readonly node: string
    readonly js: string
    readonly php: string
    readonly python: string
    /** The name under which a program in Python imports it. */
    readonly module: string
  } | null
}

const EXAMPLE = 'https://pay.example.ci'
const NODE = /https:\/\/pay\.example\.ci\/sdk\/node-[\w.-]+?\.tgz/g
const PHP = /https:\/\/pay\.example\.ci\/sdk\/php-single-[\w.-]+?\.php/g
const PYTHON = /https:\/\/pay\.example\.ci\/sdk\/python-[\w./-]+?\.whl/g
const MODULES = /https:\/\/pay\.example\.ci\/sdk\/js-[\w.-]+(?=\/)/g
const PACKAGE =
  /(?<=(?:from|import) ')bandama(?=['/])|(?<=`)bandama(?=\/(?:express|fastify|next|hono|edge|webhooks|test)`)/g
const MODULE = /(?<=^from )bandama(?= import )/gm
const HEADER = /\b(Service|Legacy)-(?=(?:Request-Id|Version|Signature|Signature-Previous|Event-Id)\b)/gi

/**
 * Writes this instance into a sample: its address, its packages, the prefix of its keys and headers. The files hold an example that runs as
 * it is, so that people can read them in the repository too.
 */
export function fillSample(text: string, { origin, brand, sdk }: Home): string {
  const prefixes: Record<string, string> = {
    Service: brand.header_prefix,
    Legacy: brand.legacy_header_prefix,
    service: brand.header_prefix.toLowerCase(),
    legacy: brand.legacy_header_prefix.toLowerCase(),
  }
  return text
    .replace(NODE, (example) => sdk?.node ?? example)
    .replace(PHP, (example) => sdk?.php ?? example)
    .replace(MODULES, (example) => sdk?.js.replace(/\/[^/]*$/, '') ?? example)
    .replace(PYTHON, (example) => sdk?.python ?? example)
    .replace(PACKAGE, sdk?.package ?? 'bandama')
    .replace(MODULE, sdk?.module ?? 'bandama')
    .replaceAll(EXAMPLE, origin)
    .replaceAll('Bandama-Webhooks', `${brand.name.replaceAll(' ', '-')}-Webhooks`)
    .replaceAll('bdm_sk_', `${brand.key_prefix}_sk_`)
    .replace(HEADER, (_, prefix: string) => `${prefixes[prefix] ?? prefix}-`)
}

const CODE = /(^```[\s\S]*?^```|`[^`\n]+`)/m

/** Changes a page outside its code. */
function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(CODE)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('')
}

/** A link to the packages. */
const TO_PACKAGES = /\[([^\]\n]+)\]\(\/sdk\)/g

/** Writes this instance into a guide: as into a sample, and outside code also its name. Without packages nothing leads to them. */
export function fillGuide(text: string, home: Home): string {
  const linked = home.sdk === null ? text.replace(TO_PACKAGES, '$1') : text
  const named = outsideCode(linked, (part) => part.replace(/\bBandama\b/g, home.brand.name))
  return fillSample(named, home)
}

/** Sets French as printers do: a round apostrophe, and no line break before a colon, a question mark or a closing quote. */
export function setFrench(text: string): string {
  return outsideCode(text, (part) =>
    part
      .replace(/(?<=\p{L})'(?=[\p{L}\d]|$)/gu, '’')
      .replace(/ (?=[:;?!»%](?:\s|$|[|)*,.]))/g, '\u00a0')
      .replace(/« /g, '«\u00a0'),
  )
}
