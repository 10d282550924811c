import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { derivedKey } from '../platform/config.ts'
import { isOperatorCode, type OperatorCode } from '../values/operators.ts'
import type { Secret } from '../values/secret.ts'
import type { ReceiptClaim } from './page/facts.ts'

/** The content of a receipt and the payment's merchant, to look up its present status. */
export type SignedClaim = ReceiptClaim & { merchant_id: number }

export type Receipts = {
  /** The text of a receipt with its signature: letters, digits, `.`, `-` and `_`. */
  signedText(claim: SignedClaim): string
  /** Reads the claim of a text that we signed. Any other text is `unreadable`, or `forged` when its signature does not match. */
  read(text: string): { kind: 'ours'; claim: SignedClaim } | { kind: 'unreadable' | 'forged' }
  /** The public key, with which anybody can check a receipt without us. */
  public_key: { pem: string; jwk: object }
}

/** The name of the format. It is signed too, so that no other format passes for this one. */
const FORMAT = 'BDM1'
const TEXT_MAX = 2_000
/** The address in a receipt's QR code, with the text in it. The host does not matter. */
const ADDRESS = /^https?:\/\/[^?#]*\?(?:[^#]*&)?receipt=([^&#]*).*$/i
/** DER in front of the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Signed receipts: `BDM1.<content>.<signature>`, both parts in base64url. The content is a JSON array of payment,
 * merchant's number, amount, fee on top, operator, time, 1 for live or 0 for test, merchant's name. The signature is
 * Ed25519 over `BDM1.<content>`. The signing key is derived from the secret key, so all processes share it and none
 * stores it.
 */
export function createReceipts({ secretKey }: { secretKey: Secret }): Receipts {
  const seed = derivedKey(secretKey, 'receipt signature')
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  return {
    signedText(claim) {
      const content = [
        claim.payment_id,
        claim.merchant_id,
        claim.amount,
        claim.fee_amount,
        claim.operator,
        claim.paid_at,
        claim.livemode ? 1 : 0,
        claim.merchant_name,
      ]
      const signed = `${FORMAT}.${Buffer.from(JSON.stringify(content)).toString('base64url')}`
      return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
    },
    read(text) {
      // A text copied by hand or from a message can contain spaces and line ends.
      const whole = text.slice(0, TEXT_MAX).replace(/\s/g, '')
      const [format, content, signature, ...more] = whole.replace(ADDRESS, '$1').split('.')
      const shaped = [content, signature].every((part) => part !== undefined && /^[\w-]+$/.test(part))
      if (format !== FORMAT || !shaped || more.length > 0) return { kind: 'unreadable' }
      const ours = verify(null, Buffer.from(`${FORMAT}.${content}`), publicKey, Buffer.from(signature!, 'base64url'))
      return ours ? { kind: 'ours', claim: claimIn(content!) } : { kind: 'forged' }
    },
    public_key: {
      pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      jwk: { ...publicKey.export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig' },
    },
  }
}

type Content = [string, number, number, number, string | null, string, 0 | 1, string]

/** Reads signed content. The caller has checked the signature. */
function claimIn(content: string): SignedClaim {
  const [payment_id, merchant_id, amount, fee_amount, operator, paid_at, live, merchant_name] = JSON.parse(
    Buffer.from(content, 'base64url').toString('utf8'),
  ) as Content
  return {
    payment_id,
    merchant_id,
    amount,
    fee_amount,
    amount_collected: amount + fee_amount,
    operator: operator !== null && isOperatorCode(operator) ? (operator as OperatorCode) : null,
    paid_at,
    livemode: live === 1,
    merchant_name,
  }
}
