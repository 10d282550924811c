import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { type ReceivedRequest, type Script, type ScriptedAnswer, startReceiver } from './receiver.ts'
import { waitFor } from './wait-for.ts'

type Told = { title: string; body: string; url: string; tag: string }
/** A push, opened: its words, and the address and public key of its signature. */
export type OpenedPush = { told: Told; audience: string; key: string }

/** A browser with its push service, on this machine. It decrypts pushes by RFC 8291 and checks their signature by RFC 8292, with code of its own. */
export async function openPushBrowser() {
  const receiver = await startReceiver({ status: 201 })
  const own = createECDH('prime256v1')
  own.generateKeys()
  const auth = randomBytes(16)
  const keys = { p256dh: own.getPublicKey('base64url'), auth: auth.toString('base64url') }

  function decrypt(body: Buffer): Told {
    const salt = body.subarray(0, 16)
    const sender = body.subarray(21, 21 + body[20]!)
    const derive = (secret: Uint8Array, by: Uint8Array, info: Buffer, bytes: number) =>
      Buffer.from(hkdfSync('sha256', secret, by, info, bytes))
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender])
    const shared = derive(own.computeSecret(sender), auth, info, 32)
    const key = derive(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = derive(shared, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
    const sealed = body.subarray(21 + body[20]!)
    const cipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16))
    const text = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
    return JSON.parse(text.subarray(0, text.lastIndexOf(2)).toString()) as Told
  }

  function open({ headers, body }: ReceivedRequest): OpenedPush {
    const [, token, key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization!)!
    const [head, claims, signature] = token!.split('.')
    const point = Buffer.from(key!, 'base64url')
    const part = (from: number) => point.subarray(from, from + 32).toString('base64url')
    const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) }, format: 'jwk' })
    const signed = Buffer.from(`${head}.${claims}`)
    const isOurs = verify(
      'sha256',
      signed,
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature!, 'base64url'),
    )
    if (!isOurs) throw new Error('The signature of the push is wrong.')
    const { aud } = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as { aud: string }
    return { told: decrypt(body), audience: aud, key: key! }
  }

  return {
    origin: receiver.url,
    subscription: { endpoint: `${receiver.url}/push/${randomBytes(16).toString('hex')}`, keys },
    answer: (script: Script | ScriptedAnswer) => receiver.answer(script),
    /** Waits for so many pushes, and opens all. */
    untilPushes: (count: number): Promise<OpenedPush[]> =>
      waitFor(() => receiver.requests.length >= count && receiver.requests.map(open), {
        deadline_ms: 60_000,
        what: `${count} pushes`,
      }),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}
