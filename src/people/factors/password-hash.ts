import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Argon2id with 64 MiB and two passes: 100 to 200 ms of one core of a small machine, and three times the least memory that OWASP
 * recommends.
 */
const COST = { memory: 65_536, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32

/**
 * A hash takes 64 MiB and a core. The hashes of a process that run at once, and that wait; more are refused. New passwords have a queue of
 * their own, so that no holder of a link keeps others from signing in.
 */
const signIns = createHashQueue({ at_once: 2, waiting_max: 12 })
const newPasswords = createHashQueue({ at_once: 1, waiting_max: 6 })

/** The PHC string format of the hashes. */
const phc = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** A hash that no password has. For an unknown person the password is compared with it, so that the answer takes the same time. */
const DECOY = phcOf(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES))

type Cost = typeof COST

/** Hashes a password for storage. Null when too many hashes wait: the caller can try again. */
export async function hashPassword(password: string): Promise<string | null> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await newPasswords(() => derive(password, salt, COST, HASH_BYTES))
  return hash === null ? null : phcOf(COST, salt, hash)
}

/**
 * Compares a password with a hash. Takes the same time when there is no such person.
 * @param hash as `hashPassword` wrote it; null: there is no password, and the answer is `wrong`
 * @returns `busy` when too many hashes wait
 * @throws when `hashPassword` did not write the hash
 */
export async function checkPassword(password: string, hash: string | null): Promise<'right' | 'wrong' | 'busy'> {
  const [, m, t, p, salt, kept] = phc.exec(hash ?? DECOY) ?? []
  if (salt === undefined || kept === undefined) throw new Error('A password hash has another form than ours.')
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) }
  const expected = Buffer.from(kept, 'base64')
  const derived = await signIns(() => derive(password, Buffer.from(salt, 'base64'), cost, expected.length))
  if (derived === null) return 'busy'
  return timingSafeEqual(derived, expected) && hash !== null ? 'right' : 'wrong'
}

function derive(password: string, salt: Buffer, cost: Cost, tagLength: number): Promise<Buffer> {
  // Normalized, because keyboards compose accents in different ways.
  const message = Buffer.from(password.normalize('NFKC'))
  return new Promise((resolve, reject) =>
    argon2('argon2id', { message, nonce: salt, ...cost, tagLength }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  )
}

/** Creates a queue of hashes. Its answer is null when too many wait. */
function createHashQueue({ at_once, waiting_max }: { at_once: number; waiting_max: number }) {
  let running = 0
  const waiting: (() => void)[] = []
  return async (hash: () => Promise<Buffer>): Promise<Buffer | null> => {
    if (running >= at_once) {
      if (waiting.length >= waiting_max) return null
      // A finished hash hands its place to the next in line, so that no newcomer takes it.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await hash()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

function phcOf({ memory, passes, parallelism }: Cost, salt: Buffer, hash: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(hash)}`
}
