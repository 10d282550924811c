import { readdir, readFile } from 'node:fs/promises'
import { type Language, languages } from '../values/language.ts'
import { fillSample, type Home } from './fill-text.ts'

/** The languages of samples, in the order of their tabs: the folder, the name on the tab, and the word of a fence. */
const written = [
  ['typescript', 'TypeScript', 'ts'],
  ['javascript', 'JavaScript', 'js'],
  ['php', 'PHP', 'php'],
  ['python', 'Python', 'python'],
  ['curl', 'curl', 'sh'],
] as const

/** The samples by their name, such as `collect`, each in the languages in which it is written. */
export type Samples = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Reads the samples of `docs/samples/<language>/`. */
export async function readSamples(folder: URL): Promise<Samples> {
  const samples = new Map<string, Map<string, string>>()
  for (const [language] of written) {
    const ofLanguage = new URL(`${language}/`, folder)
    for (const file of await readdir(ofLanguage).catch(() => [])) {
      const name = file.replace(/\.\w+$/, '')
      const known = samples.get(name) ?? new Map<string, string>()
      samples.set(name, known.set(language, await readFile(new URL(file, ofLanguage), 'utf8')))
    }
  }
  return samples
}

/** A sample that an instance without packages does not show. */
const NEEDS_PACKAGE = /from '?bandama|bandama\.php|\/sdk\//

/** A paragraph that is only a link to a sample. */
const INCLUDED = /^\[[^\]\n]+\]\(\.\.\/samples\/\w+\/([\w-]+)\.\w+\)$/gm

/**
 * Puts samples in the place of the links to them, one fence for each language. Samples that need a package are left out where there are none.
 * @throws when a page names a sample that does not exist
 */
export function includeSamples(page: string, samples: Samples, language: Language, home: Home): string {
  return page.replace(INCLUDED, (_, name: string) => {
    const sample = samples.get(name)
    if (sample === undefined) throw new Error(`docs/samples has no ${name}.`)
    return written
      .filter(([folder]) => sample.has(folder) && (home.sdk !== null || !NEEDS_PACKAGE.test(sample.get(folder)!)))
      .map(([folder, tab, fence]) => {
        const text = inLanguage(sample.get(folder)!, language)
        return `\`\`\`${/^(?:npm|curl|pip) /.test(text) ? 'sh' : fence} ${tab}\n${fillSample(text, home).trim()}\n\`\`\``
      })
      .join('\n\n')
  })
}

/** Keeps of comments that begin with a language, `// fr: …`, those of this one. */
export function inLanguage(sample: string, language: Language): string {
  const others = languages.filter((one) => one !== language).join('|')
  return sample
    .replace(new RegExp(`^ *(?://|#) (?:${others}): .*\\n`, 'gm'), '')
    .replace(new RegExp(` +(?://|#) (?:${others}): .*$`, 'gm'), '')
    .replace(new RegExp(`(//|#) ${language}: `, 'g'), '$1 ')
}
