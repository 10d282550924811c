/** Whether an address of mail is of the plain form that no mail server reads as several, or as anything else. */
export function isMailable(address: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i.test(address)
}
