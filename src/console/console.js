// The pages work without this script. It makes them faster.
;(() => {
  const all = (selector) => [...document.querySelectorAll(selector)]
  const find = document.querySelector('[data-find]')
  const help = document.getElementById('help')
  const main = document.getElementById('main')

  for (const opener of all('[data-help]'))
    opener.onclick = (event) => {
      if (!help?.showModal) return
      event.preventDefault()
      help.showModal()
    }

  // A passkey answers the question that its button carries, and its form takes the answer along.
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '')
  const listed = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }))
  const answers = {
    get: async (options) => {
      const question = {
        ...options,
        challenge: bytes(options.challenge),
        allowCredentials: listed(options.allowCredentials),
      }
      const { id, response, type } = await navigator.credentials.get({ publicKey: question })
      const { clientDataJSON, authenticatorData, signature, userHandle } = response
      const signed = {
        clientDataJSON: text(clientDataJSON),
        authenticatorData: text(authenticatorData),
        signature: text(signature),
      }
      if (userHandle) signed.userHandle = text(userHandle)
      return { id, rawId: id, type, response: signed, clientExtensionResults: {} }
    },
    create: async (options) => {
      const question = {
        ...options,
        challenge: bytes(options.challenge),
        user: { ...options.user, id: bytes(options.user.id) },
        excludeCredentials: listed(options.excludeCredentials),
      }
      const { id, response, type } = await navigator.credentials.create({ publicKey: question })
      const made = {
        clientDataJSON: text(response.clientDataJSON),
        attestationObject: text(response.attestationObject),
      }
      if (response.getTransports) made.transports = response.getTransports()
      return { id, rawId: id, type, response: made, clientExtensionResults: {} }
    },
  }
  // Sets up the parts that need a script, also of a page that was fetched again.
  const wire = () => {
    // Parts that need a script are shown only with one: the passkey, copying, printing.
    for (const part of all('[data-script]')) part.hidden = false

    for (const close of all('[data-close]'))
      close.onclick = (event) => {
        event.preventDefault()
        close.parentElement.remove()
        main.focus()
      }

    for (const button of all('[data-print]')) button.onclick = () => print()

    for (const button of all('[data-still]'))
      button.onclick = () => {
        delete main.dataset.moving
        button.parentElement.remove()
        main.focus()
      }

    for (const button of all('[data-copy]'))
      button.onclick = async () => {
        await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
        button.textContent = button.dataset.done
      }

    for (const button of all('[data-passkey]'))
      button.onclick = async (event) => {
        event.preventDefault()
        const form = button.form
        try {
          const answer = await answers[button.dataset.create ? 'create' : 'get'](JSON.parse(button.dataset.passkey))
          form.elements[button.dataset.into || 'secret_assertion'].value = JSON.stringify(answer)
          form.submit()
        } catch {
          // The person closed the question, or the passkey is on another device: the page stays as it was.
          const told = document.getElementById(button.dataset.failed || '')
          if (told) told.hidden = false
        }
      }

    // A second tap during a submission does nothing.
    for (const form of all('form[method="post"]'))
      form.onsubmit = (event) => {
        const button = event.submitter || form.querySelector('button')
        if (button.getAttribute('aria-disabled')) return event.preventDefault()
        button.setAttribute('aria-disabled', 'true')
      }
  }
  wire()

  addEventListener('pageshow', () => {
    for (const button of all('button[aria-disabled]')) button.removeAttribute('aria-disabled')
  })

  // A page with work under way refreshes itself, less and less often, and never while a person types or reads on.
  const isTouched = (field) =>
    field.type === 'checkbox' || field.type === 'radio'
      ? field.checked !== field.defaultChecked
      : field.options
        ? [...field.options].some((one) => one.selected !== one.defaultSelected)
        : field.value !== field.defaultValue
  const untouched = () =>
    !document.hidden &&
    getSelection().isCollapsed &&
    (document.activeElement === main || !main.contains(document.activeElement)) &&
    !main.querySelector('details[open]') &&
    !all('#main :is(input, select, textarea)').some(isTouched)
  // Only parts that differ are replaced, so that the reader keeps their place, and a screen reader announces only the new status.
  const bringUp = (old, fresh) => {
    if (old.isEqualNode(fresh)) return
    const alike = old.cloneNode().isEqualNode(fresh.cloneNode())
    if (!alike || old.children.length !== fresh.children.length) return old.replaceWith(fresh)
    if (old.children.length === 0) old.textContent = fresh.textContent
    else if (old.childNodes.length !== old.children.length && old.textContent !== fresh.textContent)
      old.replaceWith(fresh)
    else for (const [at, part] of [...old.children].entries()) bringUp(part, fresh.children[at])
  }
  const lookAgain = async (wait) => {
    await new Promise((resolve) => setTimeout(resolve, wait))
    if (main.dataset.moving === undefined) return
    const next = Math.min(wait * 1.2, 30000)
    if (!untouched()) return lookAgain(next)
    const fresh = await fetch(location.href, { headers: { 'x-look-again': '1' }, redirect: 'error' })
      .then(async (answer) => (answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null))
      .then((page) => page?.getElementById('main'))
      .catch(() => null)
    // The service restarts, or the session is over: the page stays, and the next tap shows the reason.
    if (!fresh || !untouched() || main.dataset.moving === undefined) return lookAgain(next)
    for (const part of fresh.querySelectorAll('[data-script]')) part.hidden = false
    // The message of the previous act stays, open or closed.
    fresh.querySelector(':scope > .toast')?.remove()
    const parts = [...main.children].filter((part) => !part.matches('.toast'))
    const others = [...fresh.children]
    if (parts.length === others.length) for (const [at, part] of parts.entries()) bringUp(part, others[at])
    else {
      for (const part of parts) part.remove()
      main.append(...others)
    }
    wire()
    if (fresh.dataset.moving === undefined) delete main.dataset.moving
    lookAgain(next)
  }
  if (main?.dataset.moving !== undefined) lookAgain(2000)

  // One open menu at a time, and Escape closes it.
  const me = document.querySelector('.me')
  addEventListener('click', ({ target }) => {
    if (me?.open && !me.contains(target)) me.open = false
  })

  // Keyboard shortcuts for daily work. They are off while a person types, and with a modifier key.
  addEventListener('keydown', (event) => {
    const { key, target } = event
    if (key === 'Escape') {
      if (me?.open) {
        me.open = false
        me.querySelector('summary').focus()
      }
      if (location.hash === '#menu') location.hash = '#main'
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.isContentEditable) return
    if (key === '/' && find && find.offsetParent) {
      event.preventDefault()
      find.focus()
    }
    if (key === '?' && help && help.showModal && !help.open) help.showModal()
    if (key === 'j' || key === 'k') {
      const links = all('.row')
      const at = links.indexOf(document.activeElement) + (key === 'j' ? 1 : -1)
      if (links[at]) links[at].focus()
    }
  })
})()
