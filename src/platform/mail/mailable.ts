/** Whether an e-mail address has the plain form that every mail server reads as exactly one address. */
export function isMailable(address: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i.test(address)
}
