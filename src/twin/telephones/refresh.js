// Waits until the twin says that something has changed, then puts the phones that changed in place of the old ones.
// A phone with a code half typed stays as it is until its request has gone.

async function watch() {
  let version = null
  for (;;) {
    try {
      const answer = await fetch(`/phones/changes?since=${version ?? ''}`)
      const { version: now } = await answer.json()
      // Also the first time: something may have changed since the page was written.
      await renew()
      version = now
    } catch {
      // The twin was stopped: it may come back.
      await new Promise((resolve) => setTimeout(resolve, 2000))
    }
  }
}

async function renew() {
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } })
  if (!answer.ok) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  // After the end of the payment the page redirects, and only a full load of the page can do that.
  if (leadsOn(fresh)) return location.reload()
  const from = fresh.querySelector('.phones')
  const into = document.querySelector('.phones')
  if (from === null || into === null) return
  const shown = new Map([...into.children].map((phone) => [phone.id, phone]))
  const phones = [...from.children].map((phone) => {
    const old = shown.get(phone.id)
    return old !== undefined && (isSame(old, phone) || isTyped(old, phone)) ? old : phone
  })
  for (const old of shown.values()) if (!phones.includes(old)) old.remove()
  // A phone that stays is not taken out, because a person who types in it would lose the cursor.
  let next = into.firstElementChild
  for (const phone of phones) {
    if (phone === next) next = next.nextElementSibling
    else into.insertBefore(phone, next)
  }
}

function leadsOn(page) {
  return page.querySelector('head > meta[http-equiv="refresh"]') !== null
}

function isSame(old, fresh) {
  return old.innerHTML === fresh.innerHTML
}

function isTyped(old, fresh) {
  const typed = old.querySelector('input[name="pin"]')
  if (typed === null || (typed.value === '' && typed !== document.activeElement)) return false
  const reference = (phone) => phone.querySelector('input[name="reference"]')?.value
  return reference(old) === reference(fresh)
}

if (!leadsOn(document)) watch()
