// Turns notices on in this browser: it subscribes at its push service, and the form takes the subscription along.
;(() => {
  const form = document.querySelector('[data-push]')
  if (!form || !('serviceWorker' in navigator) || !('PushManager' in window)) return
  const button = form.querySelector('button')
  form.hidden = false
  button.onclick = async (event) => {
    if (form.subscription.value) return
    event.preventDefault()
    button.disabled = true
    try {
      const worker = await navigator.serviceWorker.register('/console/push-worker.js', { scope: '/console/' })
      if ((await Notification.requestPermission()) !== 'granted') throw new Error('not granted')
      while (!worker.active) await new Promise((resolve) => setTimeout(resolve, 100))
      const key = Uint8Array.from(atob(form.dataset.push.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
      const old = await worker.pushManager.getSubscription()
      // It subscribed with an earlier key of this service.
      if (old && String(new Uint8Array(old.options.applicationServerKey)) !== String(key)) await old.unsubscribe()
      const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
      form.subscription.value = JSON.stringify(made)
      form.submit()
    } catch {
      button.disabled = false
      form.querySelector('[role=alert]').hidden = false
    }
  }
})()
