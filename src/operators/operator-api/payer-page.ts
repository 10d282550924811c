const URL_MAX = 2_048

/**
 * Returns the address of an operator's page for a payer as a clean URL, which merchants and our pages pass on: characters that could end a
 * quotation or a tag are escaped. Null for anything else: another scheme, a name or a password before the host, or too long a text.
 * @param plain whether http is allowed, for the operators' twin on this machine
 */
export function payerPage(text: unknown, plain: boolean): string | null {
  if (typeof text !== 'string' || text.length > URL_MAX) return null
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return null
  if (url.protocol !== 'https:' && !(plain && url.protocol === 'http:')) return null
  // The URL standard leaves this one in paths and fragments, where it would end an attribute in single quotes.
  const href = url.href.replaceAll("'", '%27')
  return href.length > URL_MAX ? null : href
}
