// Shows a notice that the service pushed, and opens its page. It keeps nothing and answers no request.
self.addEventListener('push', (event) => {
  const { title, body, url, tag } = event.data.json()
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: url }))
})
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const url = new URL(event.notification.data, self.location.origin)
  event.waitUntil(self.clients.openWindow(url.origin === self.location.origin ? url.href : '/console'))
})
