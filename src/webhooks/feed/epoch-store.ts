/**
 * Joins the current epoch of the feed, and begins it if the server or the database is another than before. Each new connection of the service
 * executes it before its first write (`migrations/0011_webhooks.sql`).
 */
export const JOIN_EPOCH = 'select join_feed_epoch()'
