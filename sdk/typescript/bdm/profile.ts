import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Sentence } from './sentence.ts'

/** The facts that `bdm login` keeps. The key is in no message and no other file. */
export type Profile = {
  name: string
  url: string
  key: string
  /** With which `listen` signs: it stays, so that a receiver keeps its settings. */
  secret: string
}

const NAME = /^[\w-]{1,40}$/

/** The folder of all profiles. */
function folder(): string {
  return join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'bdm')
}

function fileOf(name: string): string {
  if (!NAME.test(name)) throw new Sentence('--profile has 1 to 40 letters, digits, - or _.')
  return join(folder(), `${name}.json`)
}

/** Keeps an address and a key for the next commands, readable by this person alone. A profile that exists keeps its secret. */
export async function keepProfile(name: string, { url, key }: { url: string; key: string }): Promise<string> {
  const file = fileOf(name)
  const before = await read(file).catch(() => null)
  const secret = before?.secret ?? `whsec_${randomBytes(24).toString('base64url')}`
  await writeWhole(file, `${JSON.stringify({ url, key, secret }, null, 2)}\n`)
  return file
}

/** @throws Sentence when nobody logged in under this name, or others could read the key */
export async function readProfile(name: string): Promise<Profile> {
  const file = fileOf(name)
  const found = await stat(file).catch(() => null)
  const words = name === 'default' ? '' : ` --profile ${name}`
  if (found === null) throw new Sentence(`Nobody has logged in yet: run bdm login${words} first.`)
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw new Sentence(
      `Others on this machine can read ${file}: run chmod 600 on it, or bdm login${words} with a new key.`,
    )
  const kept = await read(file)
  if (kept === null) throw new Sentence(`${file} is damaged: run bdm login${words} again.`)
  return { name, ...kept }
}

async function read(file: string): Promise<Omit<Profile, 'name'> | null> {
  try {
    const { url, key, secret } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
    const whole = [url, key, secret].every((one) => typeof one === 'string' && one !== '')
    return whole ? { url: String(url), key: String(key), secret: String(secret) } : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** The place in the feed of one profile and one receiver. Two receivers never share one, or each would miss events of the other. */
export function placeOf({ name, url }: Profile, forward_to: string) {
  const hash = createHash('sha256').update(`${url}\0${forward_to}`).digest('hex').slice(0, 12)
  const file = join(folder(), `${name}.${hash}.cursor`)
  return {
    file,
    /** Null: none is kept. @throws Sentence when the file holds something else */
    async read(): Promise<string | null> {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      if (text === null || /^[\w-]{1,200}\n$/.test(text)) return text?.trim() ?? null
      throw new Sentence(`${file} holds no cursor: begin with --from begin, or with --from and a moment.`)
    },
    keep: (cursor: string) => writeWhole(file, `${cursor}\n`),
  }
}

/** Writes a file whole or not at all, whenever the program or the machine stops. */
async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.part`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
}
