import type { TSchema } from 'typebox'
import type { Brand } from '../config.ts'

type Json = { [name: string]: unknown }

/** A request that the service makes to a merchant's server. */
export type DescribedWebhook = {
  /** The type of the event, which is the name of the webhook. */
  readonly type: string
  readonly summary: string
  readonly body: TSchema
}

const BUT_LEGACY = 'Also sent under its earlier name'

/** The headers of every webhook, as components that each refers to. */
export function webhookHeaders(brand: Pick<Brand, 'header_prefix' | 'legacy_header_prefix'>): Json {
  const header = (name: string, required: boolean, description: string, schema: Json) => ({
    name: `${brand.header_prefix}-${name}`,
    in: 'header',
    required,
    description: `${description} ${BUT_LEGACY}, \`${brand.legacy_header_prefix}-${name}\`.`,
    schema: { type: 'string', ...schema },
  })
  const signature = { pattern: '^t=[0-9]+,v1=[0-9a-f]{64}$' }
  return {
    Signature: header(
      'Signature',
      true,
      '`t=<seconds since 1970>,v1=<hex>`: the HMAC-SHA256 of `t`, a dot and the raw body, with the whole secret of the endpoint as the key. ' +
        'Refuse a `t` more than 300 seconds from your clock. Each attempt is signed anew.',
      signature,
    ),
    SignaturePrevious: header(
      'Signature-Previous',
      false,
      'The same with the secret before, for 24 hours after a rotation.',
      signature,
    ),
    EventId: header('Event-Id', true, 'The `id` of the event. No signature covers it: read the id in the body.', {}),
  }
}

/** Describes webhooks as OpenAPI 3.1. @param plain writes a schema, or a reference to it */
export function describeWebhooks(webhooks: readonly DescribedWebhook[], plain: (schema: TSchema) => Json): Json {
  const parameters = ['Signature', 'SignaturePrevious', 'EventId'].map((name) => ({
    $ref: `#/components/parameters/${name}`,
  }))
  return Object.fromEntries(
    webhooks.map(({ type, summary, body }) => [
      type,
      {
        post: {
          operationId: `on${type.replace(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase())}`,
          summary,
          tags: ['Webhooks'],
          security: [],
          parameters,
          requestBody: {
            required: true,
            description: 'The event. Its bytes are the same at each attempt.',
            content: { 'application/json': { schema: plain(body) } },
          },
          responses: {
            '2XX': {
              description:
                'The event is delivered. After any other answer, or none within ten seconds, it is sent again later.',
            },
          },
        },
      },
    ]),
  )
}
