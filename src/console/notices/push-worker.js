// Shows a notice that the service pushed, and opens its page. It keeps nothing and answers no request.
self.addEventListener('push', (event) => {
  const { title, body, url, tag } = event.data.json()
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: url }))
})
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  // Only the service can encrypt a notice for this browser. The desk may be on another host.
  event.waitUntil(self.clients.openWindow(event.notification.data))
})
