import { createHmac, timingSafeEqual } from 'node:crypto'

/** The event, or null when the request is not ours. `body` is a Buffer: the bytes as received. */
export function readEvent(body, signature, secret) {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature ?? '') ?? []
  if (t === undefined || Math.abs(Date.now() / 1000 - Number(t)) > 300) return null
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest()
  return timingSafeEqual(expected, Buffer.from(v1, 'hex')) ? JSON.parse(body.toString()) : null
}
